import { isTaken, type Outcome } from './post.ts'
import { coloured, plain, type Terminal } from './terminal.ts'

/** One event and what became of it, as a line; where it was refused, with what was answered. */
export function eventLine(
  terminal: Terminal,
  { type, sequence, at }: { readonly type: string; readonly sequence: number; readonly at: Date },
  outcome: Outcome,
): string {
  const { status, error, excerpt = '', tookMs } = outcome
  const answer = coloured(terminal, isTaken(outcome) ? 'green' : 'red', `${status ?? error}`)
  const time = coloured(terminal, 'dim', at.toTimeString().slice(0, 8))
  const place = `#${sequence}`.padEnd(7)
  const said = plain(excerpt)
  const reason = isTaken(outcome) || said === '' ? '' : `  ${coloured(terminal, 'dim', said)}`
  return `${time}  ${plain(type).padEnd(23)}  ${place}  ${answer}  ${tookMs} ms${reason}`
}
