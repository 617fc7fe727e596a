import { Copyable } from '../../design/copyable.tsx'

interface HostCommandProps {
  readonly command: string
  /** The name of the command for the label of the copy button, such as "resume command". */
  readonly what: string
  /** When to run it. */
  readonly children: string
}

/** A command that only the host can run, to copy. No route of the server does the same. */
export function HostCommand({ command, what, children }: HostCommandProps) {
  return (
    <div className="grid gap-1.5">
      <p className="text-ink-soft">{children}</p>
      <Copyable value={command} what={what} isBlock />
    </div>
  )
}
