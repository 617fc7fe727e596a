import { Copy, Download, Printer } from 'lucide-react'
import { Button, buttonClasses } from '../../design/button.tsx'
import { Notice } from '../../design/notice.tsx'
import { useToast } from '../../design/toast.tsx'
import { useSession } from '../session/use-session.ts'

/**
 * Shows recovery codes. The server shows them only once. Users should not keep them on the phone that is the
 * second factor, but on paper or in a password manager.
 */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept(): void }) {
  const { data: session } = useSession()
  const showToast = useToast()
  const title = `Recovery codes for ${session?.account.email ?? 'your account'} at ${location.host}`
  const text = [
    title,
    'Each code signs you in once, instead of a code from your authenticator app.',
    '',
    ...codes,
    '',
  ].join('\n')
  const copy = () => void navigator.clipboard.writeText(text).then(() => showToast('The codes are copied.'))
  return (
    <div className="grid gap-4">
      <Notice tone="warn" title="Save these codes now">
        Each code signs you in once if you lose your phone. The codes are shown only once.
      </Notice>
      <div data-printed className="grid max-w-md gap-2 rounded-xl border border-line bg-band p-4">
        <p className="text-[0.8125rem] text-ink-soft [overflow-wrap:anywhere]">{title}</p>
        <ul className="grid gap-x-6 gap-y-1 font-mono whitespace-nowrap sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={onKept}>I have saved them</Button>
        <Button variant="secondary" onClick={copy}>
          <Copy aria-hidden /> Copy
        </Button>
        <a
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="coffer-recovery-codes.txt"
          className={buttonClasses('secondary')}
        >
          <Download aria-hidden /> Download
        </a>
        <Button variant="secondary" onClick={() => print()}>
          <Printer aria-hidden /> Print
        </Button>
      </div>
    </div>
  )
}
