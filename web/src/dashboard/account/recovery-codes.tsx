import { Copy, Download, Printer } from 'lucide-react'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Notice } from '../../design/notice.tsx'
import { useToast } from '../../design/toast.tsx'
import { useSession } from '../session/use-session.ts'

/** Shown once, to be kept where the phone is not: on paper, in a file, in a store of passwords. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept(): void }) {
  const { data: session } = useSession()
  const tell = useToast()
  const whose = `Recovery codes of ${session?.account.email ?? 'your account'} at ${location.host}`
  const text = [
    whose,
    'Each opens the account once, in place of the code of the app.',
    '',
    ...codes,
    '',
  ].join('\n')
  const copy = () => void navigator.clipboard.writeText(text).then(() => tell('The codes are copied.'))
  return (
    <div className="grid gap-4">
      <Notice tone="warn" title="Keep these now">
        Each opens your account once when your phone is gone. They are shown this once.
      </Notice>
      <div data-printed className="grid max-w-md gap-2 rounded-xl border border-line bg-band p-4">
        <p className="text-[0.8125rem] text-ink-soft [overflow-wrap:anywhere]">{whose}</p>
        <ul className="grid gap-x-6 gap-y-1 font-mono whitespace-nowrap sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={onKept}>I have kept them</Button>
        <Button look="secondary" onClick={copy}>
          <Copy aria-hidden /> Copy
        </Button>
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="coffer-recovery-codes.txt"
          className={buttonClasses('secondary')}
        >
          <Download aria-hidden /> Save as a file
        </a>
        <Button look="secondary" onClick={() => print()}>
          <Printer aria-hidden /> Print
        </Button>
      </div>
    </div>
  )
}
