/** Decides the verdict of a trace: that the payment was credited, or the rule that stopped it. */
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
  // If the transaction made several payments, a payment that waits or was stopped takes precedence over
  // credited ones. The merchant most likely asks about that payment.
  return verdicts.find(({ code }) => code !== 'credited') ?? verdicts[0] ?? chainVerdict(facts)
}

/** Returns the verdict for a transaction without a payment in the books. */
function chainVerdict({ network, node, booked }: TraceFacts): Verdict {
  switch (node.type) {
    case 'silent':
      return {
        code: 'node-silent',
        detail: `Coffer has no record of it, and the ${network} node did not answer. Try again shortly.`,
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
      return { code: 'failed-on-chain', detail: 'It was mined but failed, so it moved nothing.' }
    case 'mined':
      return minedVerdict(node, booked)
  }
}

function minedVerdict(node: NodeFact & { type: 'mined' }, booked: TraceFacts['booked']): Verdict {
  const { height, received, internalTransfers } = node
  if (node.moved === 0) {
    return { code: 'nothing-moved', detail: 'It succeeded but moved no amount above zero of any asset.' }
  }
  if (received.length === 0 && internalTransfers > 0) {
    return {
      code: 'internal-transfer',
      detail: 'Coffer sent it from one of its own addresses to another: an internal transfer, not a payment.',
    }
  }
  if (received.length === 0) {
    return {
      code: 'not-to-this-merchant',
      detail: 'None of its transfers went to an address of this merchant.',
    }
  }
  if (received.every(({ amount }) => amount === undefined)) {
    const contracts = received.map(({ contract }) => contract).join(', ')
    return {
      code: 'unlisted-asset',
      detail: `It paid in a token that is not a payment method, whatever its name: contract ${contracts}.`,
    }
  }
  if (booked === undefined || height > booked.height) {
    return {
      code: 'not-scanned-yet',
      detail: `Block ${height} is not booked yet: Coffer is ${lagOf(height, booked)} behind it.`,
    }
  }
  if (height < booked.firstHeight) {
    const detail = `Block ${height} is before block ${booked.firstHeight}, the first that Coffer followed.`
    return { code: 'before-first-block', detail }
  }
  return {
    code: 'not-recorded',
    detail:
      'It paid this merchant in a booked block but was not recorded. Report it to the operator with this response.',
  }
}

function paymentVerdict(payment: TracedPayment, node: NodeFact): Verdict {
  const { state, amount, net, fee, blockHeight } = payment
  if (state === 'failed' && payment.replacedBy !== undefined) {
    const detail = `Transaction ${payment.replacedBy} spent the same outputs as the payment of ${amount}, and is final.`
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
    const detail = `${amount} is confirmed but held, because its sender did not pass screening. Contact the operator.`
    return { code: 'quarantined', detail }
  }
  if (payment.isWrongNetwork) return wrongNetworkVerdict(payment)
  if (net === undefined) {
    const detail = `${amount} is below the minimum of ${payment.minimum}: it is credited when the sum of its invoice reaches it.`
    return { code: 'below-minimum', detail }
  }
  const credited = `${net} of ${amount} was credited, the fee was ${fee}`
  if (!payment.isOffered) {
    return {
      code: 'other-asset',
      detail: `${credited}; its invoice does not offer this asset, so the invoice is not paid by it.`,
    }
  }
  if (payment.isLate)
    return { code: 'late', detail: `${credited}; it arrived after its invoice had expired.` }
  const remark = payment.isInvoiceDeleted ? '; its invoice has been deleted' : ''
  return { code: 'credited', detail: `${credited}${remark}.` }
}

/** Returns the verdict for a confirmed payment on a network that its invoice does not offer. */
function wrongNetworkVerdict(payment: TracedPayment): Verdict {
  const { amount, net, fee, networkTitle, isAttributed, isBelowMinimum, minimum } = payment
  const cause = `The payment came on ${networkTitle}, which its invoice does not offer, so it does not pay the invoice`
  const outcome = () => {
    if (net !== undefined) return `${net} of ${amount} was credited, the fee was ${fee}`
    if (isBelowMinimum) return `${amount} is below the minimum of ${minimum}`
    if (isAttributed) return `${amount} was credited by a later decision`
    return `${amount} is not credited yet: the merchant can credit it`
  }
  return { code: 'wrong-network', detail: `${cause}. ${outcome()}.` }
}

/** Returns the verdict for a payment that is in no block. */
function absentVerdict({ amount, isWaiting, wasIncluded, replacedBy }: TracedPayment): Verdict {
  if (replacedBy !== undefined) {
    const detail = `Transaction ${replacedBy} spends the same outputs as the payment of ${amount}: only one of the two will be mined.`
    return { code: 'replaced', detail }
  }
  if (isWaiting) {
    const detail = `The payment of ${amount} waits in the mempool; it counts once a block holds it.`
    return { code: 'in-mempool', detail }
  }
  if (wasIncluded) {
    const detail = `A reorganisation removed the payment of ${amount} from its block; it counts again once it is mined again.`
    return { code: 'dropped', detail }
  }
  const detail = `The payment of ${amount} is no longer in the mempool; it counts once a block holds it.`
  return { code: 'unseen', detail }
}
