/** The log of everything that the signer has signed. */
import { intentText, readIntentText } from '../../signing/intent.ts'
import type { LogEntry, Signed, SignRequest } from '../../signing/signer-port.ts'
import { wireLimits } from '../../signing/signer-wire.ts'
import { ChainedLog, type LogKind, type LogParts, type Unnumbered } from './chained-log.ts'

/** An entry without its sequence, which the log assigns. */
export type NewEntry = Unnumbered<LogEntry>

export type SignLog = ChainedLog<LogEntry>

const kind: LogKind<LogEntry> = {
  purpose: 'signer-log',
  name: "signer's log",
  textOf: (entry) => intentText({ ...entry, signedAt: entry.signedAt.toISOString() }),
  read: entryOf,
  readBytesMax: wireLimits.replyBytes / 2,
}

export const SignLog = {
  /** Creates an empty log. An existing log is not changed. */
  create: (parts: LogParts): Promise<void> => ChainedLog.create(kind, parts),

  /**
   * Reads a log to its end and checks all of it.
   * @param onEntry called with each entry and its MAC.
   * @throws SignLogError if the log differs from what the signer wrote.
   */
  open: (parts: LogParts, onEntry: (entry: LogEntry, mac: string) => void): Promise<SignLog> =>
    ChainedLog.open(kind, parts, onEntry),
}

function entryOf(body: string): LogEntry {
  const entry = readIntentText(body) as SignRequest & Omit<Signed, 'signedAt'> & { readonly signedAt: string }
  return { ...entry, signedAt: new Date(entry.signedAt) }
}
