/** Builds the list of the steps of a payment up to now. */
import {
  confirmationsOf,
  lagOf,
  type NodeFact,
  type Step,
  type StepName,
  type TracedPayment,
  type TraceFacts,
} from './trace.ts'

export function stepsOf(facts: TraceFacts): readonly Step[] {
  return [...nodeSteps(facts), ...facts.payments.flatMap(paymentSteps)]
}

function nodeSteps(facts: TraceFacts): readonly Step[] {
  const { node, network, booked } = facts
  switch (node.type) {
    case 'silent':
      return [
        step(
          'node',
          false,
          `The ${network} node did not answer; the following steps come from our books only.`,
        ),
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
    return step('scanned', false, `Coffer follows the chain from block ${booked.firstHeight}.`)
  }
  return booked !== undefined && height <= booked.height
    ? step('scanned', true, `Coffer has booked block ${height}.`)
    : step('scanned', false, `Coffer is ${lagOf(height, booked)} behind this block.`)
}

function recipientStep({ moved, received, internalTransfers }: NodeFact & { type: 'mined' }): Step {
  if (received.length === 0 && internalTransfers > 0) {
    return step('recipient', false, 'It moved money between addresses of Coffer.')
  }
  if (received.length === 0) {
    return step('recipient', false, `It has ${moved} transfer(s), none to an address of this merchant.`)
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
  const { amount, depositId, invoiceId, blockHeight, state } = payment
  const recorded = step(
    'recorded',
    true,
    `Recorded as transaction ${depositId} of ${amount}, of invoice ${invoiceId}.`,
    payment.createdAt,
  )
  if (state === 'failed') return [recorded, step('confirmations', false, 'It failed on chain.')]
  if (blockHeight === undefined) {
    const why = payment.wasIncluded ? 'A reorganisation removed it from its block.' : 'It is in no block yet.'
    return [recorded, step('confirmations', false, why)]
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

function creditedStep(payment: TracedPayment): Step {
  const { net, fee, minimum, confirmedAt, isBelowMinimum, isQuarantined } = payment
  if (isQuarantined) return step('credited', false, 'Held, because its sender did not pass screening.')
  if (payment.isWrongNetwork && net === undefined && !isBelowMinimum) {
    return payment.isAttributed
      ? step('credited', true, 'Credited by a later decision.')
      : step('credited', false, 'Not credited yet, because it is on the wrong network.')
  }
  if (net === undefined)
    return step('credited', false, `Not credited yet, because it is below the minimum of ${minimum}.`)
  const remark = isBelowMinimum ? ', once the sum of its invoice reached the minimum' : ''
  return step('credited', true, `${net} credited, ${fee} deducted as the fee${remark}.`, confirmedAt)
}

function invoiceStep(payment: TracedPayment): Step {
  const { isOffered, isLate, isInvoiceDeleted, isWrongNetwork, networkTitle, includedAt } = payment
  if (isInvoiceDeleted)
    return step('invoice', true, 'The invoice has been deleted; the money is the merchant’s.')
  if (isWrongNetwork)
    return step('invoice', false, `Wrong network: the invoice does not offer ${networkTitle}.`)
  if (!isOffered) return step('invoice', false, 'The invoice does not offer this asset.')
  if (isLate) return step('invoice', false, 'It arrived after the invoice had expired.', includedAt)
  return step('invoice', true, 'It arrived in time and in an asset that the invoice offers.', includedAt)
}

function step(name: StepName, ok: boolean, detail: string, at?: Date): Step {
  return { step: name, ok, detail, at }
}
