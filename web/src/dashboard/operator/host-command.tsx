import { Copyable } from '../../design/copyable.tsx'

interface HostCommandProps {
  readonly command: string
  /** The name of the command for the label of the copy button, such as "resume command". */
  readonly what: string
  /** The situation in which to run the command. */
  readonly children: string
}

/**
 * Shows a command to copy. It must be run on the server's host, because no route of the API does the same.
 */
export function HostCommand({ command, what, children }: HostCommandProps) {
  return (
    <div className="grid gap-1.5">
      <p className="text-ink-soft">{children}</p>
      <Copyable value={command} what={what} isBlock />
    </div>
  )
}
