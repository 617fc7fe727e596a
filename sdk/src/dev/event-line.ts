import { isTaken, type Outcome } from './post.ts'
import { coloured, plain, type Terminal } from './terminal.ts'

/**
 * Formats an event and the outcome of its delivery as one line. If the receiver rejected the event, the line
 * includes the response.
 */
export function eventLine(
  terminal: Terminal,
  { type, sequence, at }: { readonly type: string; readonly sequence: number; readonly at: Date },
  outcome: Outcome,
): string {
  const { status, error, excerpt = '', tookMs } = outcome
  const answer = coloured(terminal, isTaken(outcome) ? 'green' : 'red', `${status ?? error}`)
  const time = coloured(terminal, 'dim', at.toTimeString().slice(0, 8))
  const sequenceText = `#${sequence}`.padEnd(7)
  const said = plain(excerpt)
  const reason = isTaken(outcome) || said === '' ? '' : `  ${coloured(terminal, 'dim', said)}`
  return `${time}  ${plain(type).padEnd(23)}  ${sequenceText}  ${answer}  ${tookMs} ms${reason}`
}
