import { Copyable } from '../../design/copyable.tsx'

interface HostCommandProps {
  readonly command: string
  /** What it does, for the button's name: "the command that resumes payouts". */
  readonly what: string
  /** When to run it. */
  readonly children: string
}

/** What is decided on the host alone, as a line to take there. */
export function HostCommand({ command, what, children }: HostCommandProps) {
  return (
    <div className="grid gap-1.5">
      <p className="text-ink-soft">{children}</p>
      <Copyable value={command} what={what} isBlock />
    </div>
  )
}
