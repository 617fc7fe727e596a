/**
 * The pure part of `coffer doctor`. Describes the state of Coffer in plain words, with the next step for each
 * problem.
 */
import type { ChainFailure } from '../../chains/blocks/failure-store.ts'
import type { ChainProgress } from '../../chains/blocks/store.ts'
import type { Halt } from '../../outgoing/engine/controls/halt-store.ts'
import {
  type Incarnation,
  isSameServer,
  mustHalt,
  type ServerHistory,
} from '../../platform/incarnation/history.ts'
import type { Heartbeat, LostBeat } from '../../platform/incarnation/store.ts'
import type { Hold } from '../../recovery/lost-history/fence-store.ts'

/** The reason why no block of a network is booked, and since when. */
export interface NetworkHold extends Pick<Hold, 'cause' | 'since'> {
  readonly network: string
}

export interface CofferState {
  readonly server: ServerHistory
  readonly incarnation: Incarnation | undefined
  /** The heartbeats that were missing when the current incarnation (era of this database's history) began. */
  readonly lostBeats: readonly LostBeat[]
  readonly halts: readonly Pick<Halt, 'id' | 'cause' | 'detail' | 'since'>[]
  readonly heartbeats: readonly Heartbeat[]
  readonly chains: readonly Pick<ChainProgress, 'network' | 'height' | 'headHeight'>[]
  readonly failures: readonly ChainFailure[]
  readonly holds: readonly NetworkHold[]
}

interface RefusedEntry {
  readonly id: number
  readonly reason: string
  /** Whether it counts as an entry, and only its row cannot be used because Coffer ships what it repeats. */
  readonly isAccepted?: true
}

/** The operator's entries about own networks and tokens, as the settings of the command verify them. */
export interface EntriesState {
  /** The number of the last accepted entry. */
  readonly count: number
  readonly refused: readonly RefusedEntry[]
  /** Why the chain of entries is not whole; undefined if it is. */
  readonly loss: string | undefined
}

export interface Finding {
  readonly subject: string
  readonly isError: boolean
  readonly text: string
  /** The next steps, as commands if possible; empty if nothing has to be done. */
  readonly next: readonly string[]
}

/**
 * A process writes a heartbeat every two seconds. A process without a heartbeat for this many seconds has
 * stopped, is stuck, or cannot reach the database.
 */
const silentS = 15
/**
 * Maximum number of blocks that a healthy watcher is behind. New blocks may arrive while the state is read.
 */
const unreadBlocksMax = 10

/** @param entries undefined if they were not read */
export function diagnose(state: CofferState, entries?: EntriesState): readonly Finding[] {
  return [
    ...ofServer(state),
    ...ofIncarnation(state),
    ...ofHalts(state),
    ...ofProcesses(state),
    ...ofChains(state),
    ...(entries === undefined ? [] : ofEntries(entries)),
  ]
}

function ofServer({ server, incarnation }: CofferState): readonly Finding[] {
  const text = `reached, timeline ${server.timeline} of system ${server.systemIdentifier}`
  if (incarnation === undefined || isSameServer(server, incarnation)) return [fine('database', text)]
  return [
    error(
      'database',
      `${text}; incarnation ${incarnation.number} belongs to timeline ${incarnation.timeline}`,
      [
        'Another server took over, and no process has compared its memory with it. Start Coffer, then run this again.',
      ],
    ),
  ]
}

function ofIncarnation({ incarnation, lostBeats, halts }: CofferState): readonly Finding[] {
  if (incarnation === undefined) return [fine('history', 'no process has used this database yet')]
  const { number, cause, beganAt, lastSeenAt } = incarnation
  const since = `incarnation ${number} since ${beganAt.toISOString()}: ${causeTexts[cause]}`
  if (!mustHalt(cause)) return [fine('history', since)]
  const seen = lastSeenAt === undefined ? '' : `, last seen complete at ${lastSeenAt.toISOString()}`
  const lost = lostBeats.map(
    ({ role, beat, survivingBeat, lastSeenAt: at }) =>
      `; process ${role} saw heartbeat ${beat} committed at ${at.toISOString()}, and the last one left is ${survivingBeat ?? 'none'}`,
  )
  const text = `${since}${seen}${lost.join('')}`
  if (!halts.some(({ cause: halted }) => halted === 'history'))
    return [fine('history', `${text}; an operator has resumed payouts`)]
  return [
    error('history', text, [
      'Read docs/failover-drill.md. Compare outgoing and incoming payments since then before you lift the halt below.',
      'coffer verify',
      'coffer payouts list',
    ]),
  ]
}

const causeTexts: Readonly<Record<Incarnation['cause'], string>> = {
  first: 'first incarnation',
  restore: 'restored from a backup',
  planned: 'another server took over while no process was running, nothing is missing',
  promotion: 'another server took over, and committed records may be missing',
  loss: 'the database went back in time, and committed records are missing',
}

/**
 * Returns one entry of the diagnosis for each halt, with the commands that lift the halt. If the database
 * went back in time, the command needs `--new-database-id`. With this option, the signer starts a new series
 * of heads (signed hashes of the sealed history). After any other halt, the signer keeps its heads, so that
 * rewritten history is still detected.
 */
function ofHalts({ halts, incarnation }: CofferState): readonly Finding[] {
  if (halts.length === 0) return [fine('payouts', 'no halt is in force')]
  const wentBack = incarnation !== undefined && mustHalt(incarnation.cause)
  return halts.map(({ id, cause, detail, since }) =>
    error('payouts', `halted (${cause}) since ${since.toISOString()}: ${detail}`, [
      `On the signer's host: coffer signer lift --halt ${id} --reason "..."${wentBack && cause === 'history' ? ' --new-database-id' : ''} --keystore F --passphrase-file F`,
      'Here, with the line that it prints: coffer payouts resume coffer-lift.W... --reason "..."',
    ]),
  )
}

/**
 * Returns one entry of the diagnosis for each role. If a process was killed and started again, its role has
 * two rows, and the newer row counts.
 */
function ofProcesses({ heartbeats }: CofferState): readonly Finding[] {
  if (heartbeats.length === 0)
    return [error('processes', 'none was running within the last day', ['Start Coffer.'])]
  const roles = [...new Set(heartbeats.map(({ role }) => role))]
  return roles.flatMap((role) => {
    const ofRole = heartbeats.filter((heartbeat) => heartbeat.role === role)
    const working = ofRole.filter(({ endedAt, secondsAgo }) => endedAt === null && secondsAgo < silentS)
    if (working.length > 0) return [fine('processes', `${role}: ${working.length} running`)]
    const [newest] = [...ofRole].sort((one, other) => one.secondsAgo - other.secondsAgo)
    if (newest === undefined) return []
    const ago = `${Math.round(newest.secondsAgo)} s ago`
    if (newest.endedAt !== null) return [fine('processes', `${role}: stopped normally ${ago}`)]
    return [
      error('processes', `${role}: the last heartbeat was ${ago}`, [
        'The process was killed, is stuck, or cannot reach the database: read its log, then restart it.',
      ]),
    ]
  })
}

function ofChains({ chains, failures, holds }: CofferState): readonly Finding[] {
  const stopped = failures.map(({ network, message }) =>
    error('blocks', `${network}: a block cannot be booked: ${message}`, ['Read the log of the watcher.']),
  )
  const behind = chains.map(({ network, height, headHeight }) => {
    const unread = Math.max(0, headHeight - height)
    const text = `${network}: ${unread} blocks are not read yet`
    return unread > unreadBlocksMax
      ? error('blocks', text, ['Wait while the number falls; if it does not, read the log of the watcher.'])
      : fine('blocks', text)
  })
  return [...stopped, ...holds.map(ofHold), ...behind]
}

/** Most installations have no entries, and then nothing is said about them. */
function ofEntries({ count, refused, loss }: EntriesState): readonly Finding[] {
  const wrong = [
    ...(loss === undefined ? [] : [error('entries', `own networks and tokens: ${loss}`, [entriesNext])]),
    ...refused.flatMap(({ id, reason, isAccepted = false }) =>
      isAccepted ? [] : [error('entries', `entry ${id}: ${reason}`, [entriesNext])],
    ),
  ]
  const unusable = refused.flatMap(({ id, reason, isAccepted = false }) =>
    isAccepted ? [{ ...fine('entries', `entry ${id}: ${reason}`), next: [unusableNext] }] : [],
  )
  if (wrong.length > 0 || count === 0) return [...wrong, ...unusable]
  return [fine('entries', `own networks and tokens: all ${count} signed entries are accepted`), ...unusable]
}

const entriesNext =
  'Check OPERATOR_PUBLIC_KEYS, XPUB_EVM and OPERATOR_ENTRY_MIN; "coffer networks list" shows what is used.'
const unusableNext =
  'Use what Coffer ships in its place. Your row is not offered, and its invoices stay readable.'

function ofHold({ network, cause, since }: NetworkHold): Finding {
  const { text, next } = holdTexts[cause]
  const waited = since === undefined ? '' : ` since ${since.toISOString()}`
  return error('blocks', `${network}: no block is read${waited}: ${text}`, [next])
}

const recoverNext =
  'A process with the role api or watcher does this automatically: make sure that one is running with the account xpub of the network.'

const holdTexts: Readonly<Record<NetworkHold['cause'], { readonly text: string; readonly next: string }>> = {
  comparison: {
    text: 'another database server took over, and no process has compared its memory with it',
    next: 'Start Coffer, then run this again.',
  },
  recovery: { text: 'some addresses of the lost period are not watched again yet', next: recoverNext },
  witnesses: { text: 'other processes may still detect the loss', next: 'Run this again in a few seconds.' },
  'put-back': {
    text: 'a process is restoring records that it acknowledged',
    next: 'Run this again in a minute; if this does not change, read the logs of the processes for the lost records.',
  },
}

function fine(subject: string, text: string): Finding {
  return { subject, isError: false, text, next: [] }
}

function error(subject: string, text: string, next: readonly string[]): Finding {
  return { subject, isError: true, text, next }
}
