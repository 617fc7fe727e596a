/** How Coffer stands, in plain words with the next step: the pure part of "coffer doctor". */
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

/** What the blocks of a network wait for. */
export interface NetworkHold extends Pick<Hold, 'cause' | 'since'> {
  readonly network: string
}

export interface CofferState {
  readonly server: ServerHistory
  readonly incarnation: Incarnation | undefined
  /** Of that incarnation. */
  readonly lostBeats: readonly LostBeat[]
  readonly halts: readonly Pick<Halt, 'id' | 'cause' | 'detail' | 'since'>[]
  readonly heartbeats: readonly Heartbeat[]
  readonly chains: readonly Pick<ChainProgress, 'network' | 'height' | 'headHeight'>[]
  readonly failures: readonly ChainFailure[]
  readonly holds: readonly NetworkHold[]
}

export interface Finding {
  readonly subject: string
  readonly isFault: boolean
  readonly text: string
  /** What to do, as commands where there are any; none where nothing is to be done. */
  readonly next: readonly string[]
}

/** A process beats every two seconds; one that was silent for so long is stopped, stuck or cut off. */
const silentS = 15
/** Blocks come while this is looked at. */
const unreadBlocksMax = 10

export function diagnose(state: CofferState): readonly Finding[] {
  return [
    ...ofServer(state),
    ...ofIncarnation(state),
    ...ofHalts(state),
    ...ofProcesses(state),
    ...ofChains(state),
  ]
}

function ofServer({ server, incarnation }: CofferState): readonly Finding[] {
  const text = `reached, timeline ${server.timeline} of system ${server.systemIdentifier}`
  if (incarnation === undefined || isSameServer(server, incarnation)) return [fine('database', text)]
  return [
    fault('database', `${text}; incarnation ${incarnation.number} is of timeline ${incarnation.timeline}`, [
      'Another server took over, and no process has compared what it remembers. Start Coffer, and ask again.',
    ]),
  ]
}

function ofIncarnation({ incarnation, lostBeats, halts }: CofferState): readonly Finding[] {
  if (incarnation === undefined) return [fine('history', 'no process has worked on this database yet')]
  const { number, cause, beganAt, lastSeenAt } = incarnation
  const since = `incarnation ${number} since ${beganAt.toISOString()}: ${causeTexts[cause]}`
  if (!mustHalt(cause)) return [fine('history', since)]
  const seen = lastSeenAt === undefined ? '' : `, last seen whole ${lastSeenAt.toISOString()}`
  const lost = lostBeats.map(
    ({ role, beat, survivingBeat, lastSeenAt: at }) =>
      `; process ${role} saw beat ${beat} committed at ${at.toISOString()}, and ${survivingBeat ?? 'none'} is left`,
  )
  const text = `${since}${seen}${lost.join('')}`
  if (!halts.some(({ cause: halted }) => halted === 'history'))
    return [fine('history', `${text}; an operator has let payouts go on`)]
  return [
    fault('history', text, [
      'Read docs/failover-drill.md. Compare what left and what came in since then before you lift the halt below.',
      'coffer verify',
      'coffer payouts list',
    ]),
  ]
}

const causeTexts: Readonly<Record<Incarnation['cause'], string>> = {
  first: 'the first one',
  restore: 'restored from a backup',
  planned: 'another server took over while nothing worked, nothing is missing',
  promotion: 'another server took over, and something committed may be missing',
  loss: 'the database went back, and something committed is missing',
}

/** Where the database went back, the signer's heads of its history begin anew with the lift; a history that was rewritten keeps them. */
function ofHalts({ halts, incarnation }: CofferState): readonly Finding[] {
  if (halts.length === 0) return [fine('payouts', 'no halt stands')]
  const wentBack = incarnation !== undefined && mustHalt(incarnation.cause)
  return halts.map(({ id, cause, detail, since }) =>
    fault('payouts', `halted (${cause}) since ${since.toISOString()}: ${detail}`, [
      `on the signer's host: coffer signer lift --halt ${id} --reason "..."${wentBack && cause === 'history' ? ' --new-incarnation' : ''} --keystore F --passphrase-file F`,
      'here, with the line that it prints: coffer payouts resume coffer-lift.W... --reason "..."',
    ]),
  )
}

/** A process that was killed and started again has two rows, of which the younger one counts. */
function ofProcesses({ heartbeats }: CofferState): readonly Finding[] {
  if (heartbeats.length === 0) return [fault('processes', 'none has worked within a day', ['Start Coffer.'])]
  const roles = [...new Set(heartbeats.map(({ role }) => role))]
  return roles.flatMap((role) => {
    const ofRole = heartbeats.filter((heartbeat) => heartbeat.role === role)
    const working = ofRole.filter(({ endedAt, secondsAgo }) => endedAt === null && secondsAgo < silentS)
    if (working.length > 0) return [fine('processes', `${role}: ${working.length} working`)]
    const [newest] = [...ofRole].sort((one, other) => one.secondsAgo - other.secondsAgo)
    if (newest === undefined) return []
    const ago = `${Math.round(newest.secondsAgo)} s ago`
    if (newest.endedAt !== null) return [fine('processes', `${role}: stopped in order ${ago}`)]
    return [
      fault('processes', `${role}: its last beat was ${ago}`, [
        'It was killed, is stuck, or does not reach the database: read its log, then start it again.',
      ]),
    ]
  })
}

function ofChains({ chains, failures, holds }: CofferState): readonly Finding[] {
  const stopped = failures.map(({ network, message }) =>
    fault('blocks', `${network}: a block cannot be booked: ${message}`, ['Read the log of the watcher.']),
  )
  const behind = chains.map(({ network, height, headHeight }) => {
    const unread = Math.max(0, headHeight - height)
    const text = `${network}: ${unread} blocks are not read yet`
    return unread > unreadBlocksMax
      ? fault('blocks', text, ['Wait while it falls; where it does not, read the log of the watcher.'])
      : fine('blocks', text)
  })
  return [...stopped, ...holds.map(ofHold), ...behind]
}

function ofHold({ network, cause, since }: NetworkHold): Finding {
  const { text, next } = holdTexts[cause]
  const waited = since === undefined ? '' : ` since ${since.toISOString()}`
  return fault('blocks', `${network}: no block is read${waited}: ${text}`, [next])
}

const recoverNext =
  'A process of the role api or watcher does it by itself: see that one works that has the account xpub of the network.'

const holdTexts: Readonly<Record<NetworkHold['cause'], { readonly text: string; readonly next: string }>> = {
  comparison: {
    text: 'another database server took over, and no process has compared what it remembers',
    next: 'Start Coffer, and ask again.',
  },
  recovery: { text: 'the addresses of the lost time are not all watched again', next: recoverNext },
  witnesses: { text: 'other processes may still notice the loss', next: 'Ask again in some seconds.' },
  'put-back': {
    text: 'a process is putting back what it acknowledged',
    next: 'Ask again in a minute; where it stays so, read the logs of the processes for what was lost.',
  },
}

function fine(subject: string, text: string): Finding {
  return { subject, isFault: false, text, next: [] }
}

function fault(subject: string, text: string, next: readonly string[]): Finding {
  return { subject, isFault: true, text, next }
}
