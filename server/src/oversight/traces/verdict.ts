/** The rule that stopped a payment, or that it was credited. */
import {
  confirmationsOf,
  lagOf,
  type NodeFact,
  type TracedPayment,
  type TraceFacts,
  type Verdict,
} from './trace.ts'

export function verdictOf(facts: TraceFacts): Verdict {
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
  const { height, received, ownMoves } = node
  if (node.moved === 0) {
    return { code: 'nothing-moved', detail: 'It succeeded and moved nothing above zero, of any asset.' }
  }
  if (received.length === 0 && ownMoves > 0) {
    return {
      code: 'own-move',
      detail: 'Coffer sent it itself, from one of its addresses to another: no payment.',
    }
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
  if (state === 'failed' && payment.replacedBy !== undefined) {
    const detail = `Transaction ${payment.replacedBy} spent the money of the payment of ${amount}, and is final.`
    return { code: 'replaced', detail }
  }
  if (state === 'failed' || (blockHeight === undefined && node.type === 'failed')) {
    return {
      code: 'failed-on-chain',
      detail: `The payment of ${amount} failed on chain, so it moved nothing.`,
    }
  }
  if (blockHeight === undefined) return absentVerdict(payment)
  if (state === 'pending') {
    return {
      code: 'waiting-for-confirmations',
      detail: `The payment of ${amount} has ${confirmationsOf(payment)}.`,
    }
  }
  if (payment.isQuarantined) {
    const detail = `${amount} is confirmed and held: its sender did not pass screening. Ask the operator.`
    return { code: 'quarantined', detail }
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

/** Of a payment in no block. */
function absentVerdict({ amount, isWaiting, wasIncluded, replacedBy }: TracedPayment): Verdict {
  if (replacedBy !== undefined) {
    const detail = `Transaction ${replacedBy} spends the money of the payment of ${amount}: only one of the two is ever mined.`
    return { code: 'replaced', detail }
  }
  if (isWaiting) {
    const detail = `The payment of ${amount} waits in the mempool; it counts once a block holds it.`
    return { code: 'in-mempool', detail }
  }
  if (wasIncluded) {
    const detail = `A reorganisation took the payment of ${amount} out of its block; it counts again once it is mined again.`
    return { code: 'dropped', detail }
  }
  const detail = `The payment of ${amount} was seen in the mempool and is there no more; it counts once a block holds it.`
  return { code: 'unseen', detail }
}
