/**
 * Describes a trace of the model of the payout protocol, with one sentence for each step that changes
 * something.
 */

interface Transaction {
  readonly order: number
  readonly wallet: number
  readonly nonce: number
}

interface Engine {
  readonly isCompared: boolean
  readonly sending: readonly Transaction[]
}

/** The part of a model state that the story uses. */
export interface PayoutState {
  readonly database: {
    readonly epoch: number
    readonly rows: readonly { readonly transaction: Transaction; readonly state: string }[]
    readonly orders: Readonly<Record<string, { readonly state: string }>>
    readonly isHalted: boolean
    readonly isRecovering: boolean
  }
  readonly engines: Readonly<Record<string, Engine>>
  readonly signer: {
    readonly isRunning: boolean
    readonly log: readonly Transaction[]
    readonly logGeneration: number
    readonly checkpoint: readonly Transaction[]
  }
  readonly chain: { readonly mined: readonly Transaction[]; readonly pool: readonly Transaction[] }
  readonly world: { readonly history: number; readonly restores: number }
}

/** Returns the story of a trace, one line for each step that it mentions. */
export function storyOf(states: readonly PayoutState[]): string {
  const lines = states.flatMap((after, index) => {
    const before = states[index - 1]
    const sentences = before === undefined ? [] : stepOf(before, after)
    return sentences.length === 0 ? [] : [`${String(index).padStart(3)}. ${sentences.join('; ')}`]
  })
  return lines.join('\n')
}

function stepOf(before: PayoutState, after: PayoutState): readonly string[] {
  if (after.world.restores > before.world.restores) return [restoreOf(before, after)]
  if (before.database.isRecovering && !after.database.isRecovering)
    return ['the recovery uses up the nonces that forgotten transactions may have']
  return [
    ...leaseOf(before, after),
    ...signerOf(before, after),
    ...rowsOf(before, after),
    ...ordersOf(before, after),
    ...haltOf(before, after),
    ...chainOf(before, after),
  ]
}

function restoreOf(before: PayoutState, after: PayoutState): string {
  const back = [
    ...(after.world.history > before.world.history ? ['the database'] : []),
    ...(after.signer.log.length < before.signer.log.length ? ["the signer's log"] : []),
    ...(after.signer.checkpoint.length < before.signer.checkpoint.length ? ['the checkpoint'] : []),
    ...(after.chain.pool.length < before.chain.pool.length ? ['the mempools of our nodes'] : []),
  ]
  const ordered = after.database.isRecovering ? ', and an operator orders a recovery' : ''
  return `RESTORED from older copies: ${back.join(', ') || 'nothing that differs'}${ordered}`
}

function leaseOf(before: PayoutState, after: PayoutState): readonly string[] {
  if (after.database.epoch > before.database.epoch)
    return [`a process takes the lease, epoch ${after.database.epoch}`]
  return Object.keys(after.engines).flatMap((id) => {
    const compared = after.engines[id]?.isCompared === true && before.engines[id]?.isCompared === false
    const [sent] = after.engines[id]?.sending.length === 0 ? (before.engines[id]?.sending ?? []) : []
    return [
      ...(compared ? ['payouts may plan from here on'] : []),
      ...(sent === undefined ? [] : [`payouts send ${nameOf(sent)}`]),
    ]
  })
}

function signerOf({ signer: before }: PayoutState, { signer: after }: PayoutState): readonly string[] {
  const added = after.log.slice(before.log.length)
  const isLoss = after.logGeneration > before.logGeneration
  return [
    ...added.map((entry) => `the signer signs ${nameOf(entry)}`),
    ...(after.isRunning && !before.isRunning
      ? [`the signer starts${isLoss ? ', after an operator accepted the loss of entries' : ''}`]
      : []),
    ...(before.isRunning && !after.isRunning ? ['the signer stops'] : []),
  ]
}

function rowsOf({ database: before }: PayoutState, { database: after }: PayoutState): readonly string[] {
  const former = new Map(before.rows.map(({ transaction, state }) => [nameOf(transaction), state]))
  return after.rows.flatMap(({ transaction, state }) => {
    const name = nameOf(transaction)
    if (former.get(name) === state) return []
    if (state === 'planned') return [`payouts plan ${name}`]
    if (state === 'signed' && !former.has(name)) return [`payouts adopt ${name}`]
    return state === 'signed' ? [`payouts store the bytes of ${name}`] : [`${name} is ${state} in the books`]
  })
}

function ordersOf({ database: before }: PayoutState, { database: after }: PayoutState): readonly string[] {
  return Object.entries(after.orders).flatMap(([id, { state }]) => {
    const isNews = before.orders[id]?.state !== state && state !== 'pending'
    return isNews ? [`order ${id} is ${state}`] : []
  })
}

function haltOf({ database: before }: PayoutState, { database: after }: PayoutState): readonly string[] {
  if (before.isHalted === after.isHalted) return []
  return [after.isHalted ? 'payouts halt' : 'an operator lifts the halt']
}

function chainOf({ chain: before }: PayoutState, { chain: after }: PayoutState): readonly string[] {
  const isIn = (list: readonly Transaction[], one: Transaction) =>
    list.some((other) => nameOf(other) === nameOf(one))
  return [
    ...after.mined.filter((one) => !isIn(before.mined, one)).map((one) => `a BLOCK contains ${nameOf(one)}`),
    ...before.mined
      .filter((one) => !isIn(after.mined, one))
      .map((one) => `a reorganisation takes back ${nameOf(one)}`),
  ]
}

function nameOf({ order, wallet, nonce }: Transaction): string {
  const what = order === 0 ? 'a nonce-gap transaction' : `order ${order}`
  return `${what} (hot wallet ${wallet}, nonce ${nonce})`
}
