/** What became of a transaction on chain, for a merchant who asks why it was not credited. Pure: facts to a verdict. */

/** What a node says of the transaction. `silent`: it did not answer in time. */
export type NodeFact =
  | { readonly type: 'silent' }
  | { readonly type: 'unknown' }
  | { readonly type: 'pending' }
  | { readonly type: 'failed'; readonly height: number }
  | {
      readonly type: 'mined'
      readonly height: number
      readonly minedAt: Date
      /** Transfers above zero to anyone. */
      readonly moved: number
      /** Those to addresses of the asking merchant; other merchants' are nobody's business. */
      readonly received: readonly Received[]
    }

export interface Received {
  readonly recipient: string
  /** In whole units, with the symbol; undefined where the asset is no payment method. */
  readonly amount: string | undefined
  readonly contract: string | undefined
}

/** A payment in our books that this transaction made to the asking merchant. */
export interface TracedPayment {
  readonly transactionId: string
  readonly invoiceId: string | undefined
  /** In whole units, with the symbol. */
  readonly amount: string
  readonly state: 'pending' | 'confirmed' | 'failed'
  readonly createdAt: Date
  /** Undefined while no canonical block holds it. */
  readonly blockHeight: number | undefined
  readonly includedAt: Date | undefined
  readonly confirmations: number
  readonly confirmationsRequired: number
  readonly confirmedAt: Date | undefined
  /** What was credited and kept, with the symbol; undefined until credited. */
  readonly net: string | undefined
  readonly fee: string | undefined
  readonly isBelowMinimum: boolean
  readonly minimum: string
  readonly isLate: boolean
  readonly isOffered: boolean
  readonly isInvoiceDeleted: boolean
}

export interface TraceFacts {
  readonly network: string
  readonly node: NodeFact
  /** The blocks we have booked; undefined before the first. */
  readonly booked: { readonly firstHeight: number; readonly height: number } | undefined
  readonly payments: readonly TracedPayment[]
}

export const stepNames = [
  ...(['node', 'block', 'scanned', 'recipient'] as const),
  ...(['recorded', 'confirmations', 'credited', 'invoice'] as const),
] as const
export type StepName = (typeof stepNames)[number]

export interface Step {
  readonly step: StepName
  readonly ok: boolean
  readonly detail: string
  readonly at: Date | undefined
}

export const verdictCodes = [
  'node-silent',
  'unknown-transaction',
  'in-mempool',
  'failed-on-chain',
  'nothing-moved',
  'before-first-block',
  'not-scanned-yet',
  'not-to-this-merchant',
  'unlisted-asset',
  'not-recorded',
  'dropped',
  'waiting-for-confirmations',
  'below-minimum',
  'other-asset',
  'late',
  'credited',
] as const
export type VerdictCode = (typeof verdictCodes)[number]

export interface Verdict {
  readonly code: VerdictCode
  readonly detail: string
}

export interface Trace {
  readonly steps: readonly Step[]
  readonly verdict: Verdict
}

/** The steps a payment takes, as far as this one came, and the rule that stopped it. */
export function traceOf(facts: TraceFacts): Trace {
  const steps = [...nodeSteps(facts), ...facts.payments.flatMap(paymentSteps)]
  return { steps, verdict: verdictOf(facts) }
}

function verdictOf(facts: TraceFacts): Verdict {
  const verdicts = facts.payments.map((payment) => paymentVerdict(payment, facts.node))
  // Of several payments, the one that waits or was stopped is what the merchant asks about.
  return verdicts.find(({ code }) => code !== 'credited') ?? verdicts[0] ?? chainVerdict(facts)
}

/** Of a transaction of which our books hold nothing. */
function chainVerdict({ network, node, booked }: TraceFacts): Verdict {
  switch (node.type) {
    case 'silent':
      return {
        code: 'node-silent',
        detail: `Coffer has recorded nothing of it, and the ${network} node did not answer. Ask again shortly.`,
      }
    case 'unknown':
      return {
        code: 'unknown-transaction',
        detail: `No node of ${network} knows it: it was never broadcast, was dropped, or is on another network.`,
      }
    case 'pending':
      return {
        code: 'in-mempool',
        detail: 'It waits in the mempool; a payment counts once a block holds it.',
      }
    case 'failed':
      return { code: 'failed-on-chain', detail: 'It was mined and failed, so it moved nothing.' }
    case 'mined':
      return minedVerdict(node, booked)
  }
}

function minedVerdict(node: NodeFact & { type: 'mined' }, booked: TraceFacts['booked']): Verdict {
  const { height, received } = node
  if (node.moved === 0) {
    return { code: 'nothing-moved', detail: 'It succeeded and moved nothing above zero, of any asset.' }
  }
  if (received.length === 0) {
    return {
      code: 'not-to-this-merchant',
      detail: 'None of what it moved went to an address of this merchant.',
    }
  }
  if (received.every(({ amount }) => amount === undefined)) {
    const contracts = received.map(({ contract }) => contract).join(', ')
    return {
      code: 'unlisted-asset',
      detail: `It paid in a token that is no payment method, whatever its name: contract ${contracts}.`,
    }
  }
  if (booked === undefined || height > booked.height) {
    return {
      code: 'not-scanned-yet',
      detail: `Block ${height} is not booked yet: Coffer is ${lagOf(height, booked)} behind it.`,
    }
  }
  if (height < booked.firstHeight) {
    const detail = `Block ${height} came before ${booked.firstHeight}, the first that Coffer followed.`
    return { code: 'before-first-block', detail }
  }
  return {
    code: 'not-recorded',
    detail:
      'It paid this merchant in a booked block and was not recorded. Report it to the operator with this answer.',
  }
}

function paymentVerdict(payment: TracedPayment, node: NodeFact): Verdict {
  const { state, amount, net, fee, blockHeight } = payment
  if (state === 'failed' || (blockHeight === undefined && node.type === 'failed')) {
    return {
      code: 'failed-on-chain',
      detail: `The payment of ${amount} failed on chain, so it moved nothing.`,
    }
  }
  if (blockHeight === undefined) {
    const detail = `A reorganisation took the payment of ${amount} out of its block; it counts again once it is mined again.`
    return { code: 'dropped', detail }
  }
  if (state === 'pending') {
    return {
      code: 'waiting-for-confirmations',
      detail: `The payment of ${amount} has ${confirmationsOf(payment)}.`,
    }
  }
  if (net === undefined) {
    const detail = `${amount} is below the minimum of ${payment.minimum}: kept apart until its invoice's sum reaches it.`
    return { code: 'below-minimum', detail }
  }
  const credited = `${net} of ${amount} was credited, the fee was ${fee}`
  if (!payment.isOffered) {
    return {
      code: 'other-asset',
      detail: `${credited}; its invoice does not offer this asset, so it pays nothing of it.`,
    }
  }
  if (payment.isLate) return { code: 'late', detail: `${credited}; it came after its invoice had expired.` }
  const remark = payment.isInvoiceDeleted ? '; its invoice has been deleted' : ''
  return { code: 'credited', detail: `${credited}${remark}.` }
}

function nodeSteps(facts: TraceFacts): readonly Step[] {
  const { node, network, booked } = facts
  switch (node.type) {
    case 'silent':
      return [
        step('node', false, `The ${network} node did not answer; what follows is from our books alone.`),
      ]
    case 'unknown':
      return [step('node', false, `No node of ${network} knows the transaction.`)]
    case 'pending':
      return [
        step('node', true, 'The node knows the transaction.'),
        step('block', false, 'It is in no block yet.'),
      ]
    case 'failed':
      return [
        step('node', true, 'The node knows the transaction.'),
        step('block', false, `It was mined in block ${node.height} and failed.`),
      ]
    case 'mined':
      return [
        step('node', true, 'The node knows the transaction.'),
        step('block', true, `It was mined in block ${node.height}.`, node.minedAt),
        scannedStep(node.height, booked),
        recipientStep(node),
      ]
  }
}

function scannedStep(height: number, booked: TraceFacts['booked']): Step {
  if (booked !== undefined && height < booked.firstHeight) {
    return step('scanned', false, `Coffer follows the chain from block ${booked.firstHeight} on.`)
  }
  return booked !== undefined && height <= booked.height
    ? step('scanned', true, `Coffer has booked block ${height}.`)
    : step('scanned', false, `Coffer is ${lagOf(height, booked)} behind this block.`)
}

function recipientStep({ moved, received }: NodeFact & { type: 'mined' }): Step {
  if (received.length === 0) {
    return step('recipient', false, `It made ${moved} transfer(s), none to an address of this merchant.`)
  }
  const paid = received.map(({ amount, contract, recipient }) => {
    const what = amount ?? `an unlisted token (contract ${contract})`
    return `${what} to ${recipient}`
  })
  return step(
    'recipient',
    received.some(({ amount }) => amount !== undefined),
    `It paid ${paid.join(', ')}.`,
  )
}

function paymentSteps(payment: TracedPayment): readonly Step[] {
  const { amount, transactionId, invoiceId, blockHeight, state } = payment
  const recorded = step(
    'recorded',
    true,
    `Recorded as transaction ${transactionId} of ${amount}, of invoice ${invoiceId}.`,
    payment.createdAt,
  )
  if (state === 'failed') return [recorded, step('confirmations', false, 'It failed on chain.')]
  if (blockHeight === undefined) {
    return [recorded, step('confirmations', false, 'A reorganisation took it out of its block.')]
  }
  const isConfirmed = state === 'confirmed'
  const confirmations = isConfirmed
    ? `Confirmed in block ${blockHeight}.`
    : `It has ${confirmationsOf(payment)}.`
  const confirmed = step('confirmations', isConfirmed, confirmations, payment.confirmedAt)
  return isConfirmed
    ? [recorded, confirmed, creditedStep(payment), invoiceStep(payment)]
    : [recorded, confirmed]
}

function creditedStep({ net, fee, minimum, confirmedAt, isBelowMinimum }: TracedPayment): Step {
  if (net === undefined)
    return step('credited', false, `Kept apart, as it is below the minimum of ${minimum}.`)
  const remark = isBelowMinimum ? ', once the sum of its invoice reached the minimum' : ''
  return step('credited', true, `${net} credited, ${fee} kept as the fee${remark}.`, confirmedAt)
}

function invoiceStep({ isOffered, isLate, isInvoiceDeleted, includedAt }: TracedPayment): Step {
  if (isInvoiceDeleted)
    return step('invoice', true, 'The invoice has been deleted; the money is the merchant’s.')
  if (!isOffered) return step('invoice', false, 'The invoice does not offer this asset.')
  if (isLate) return step('invoice', false, 'It came after the invoice had expired.', includedAt)
  return step('invoice', true, 'It came in time and in an asset that the invoice offers.', includedAt)
}

function confirmationsOf({ confirmations, confirmationsRequired }: TracedPayment): string {
  return `${confirmations} of ${confirmationsRequired} confirmations`
}

function lagOf(height: number, booked: TraceFacts['booked']): string {
  return booked === undefined ? 'not following the chain yet, and so' : `${height - booked.height} block(s)`
}

function step(name: StepName, ok: boolean, detail: string, at?: Date): Step {
  return { step: name, ok, detail, at }
}
