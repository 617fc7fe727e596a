/** Checks, on a UTXO network, that money moves only when a reorganisation cannot take it back. */
import { areBooksOpen } from '../model/check.ts'
import {
  finalConfirmations,
  findCompletedEarly,
  findOrdersPaidEarly,
  findSpentEarly,
} from '../model/check-final.ts'
import type { CheckedWorld } from '../model/checked-world.ts'
import { isOf } from '../model/model.ts'
import { isTamperedOrder } from '../model/tampering.ts'
import { lostTransfers } from '../model/transfers.ts'
import type { TrueTransfer } from '../model/true-transfer.ts'
import type { Installation } from '../world/installation.ts'
import type { UtxoSide } from '../world/utxo-side.ts'

/**
 * Returns one sentence for each merchant whose orders are paid before its money is final, for each transaction of ours
 * that spends an output too early, and for each order that is completed before its payment is final.
 */
export async function findEarlyMoves(
  world: Installation,
  side: UtxoSide,
  checked: CheckedWorld,
): Promise<readonly string[]> {
  const transfers = transfersEver(side, checked)
  return [
    ...findEarlyOrders(world, side, transfers),
    ...findSpentEarly(side.ownSpends),
    ...(await readCompletedEarly(world, side, transfers)),
  ]
}

/** Returns the transfers on the UTXO network, including those that a reorganisation dropped. */
function transfersEver(
  { name }: UtxoSide,
  { chains, ours, transfers }: CheckedWorld,
): readonly TrueTransfer[] {
  const dropped = chains
    .filter(({ network }) => network === name)
    .flatMap((chain) => lostTransfers(chain, ours))
  return [...transfers.filter(({ network }) => network === name), ...dropped]
}

function findEarlyOrders(
  { model, assets }: Installation,
  side: UtxoSide,
  transfers: readonly TrueTransfer[],
): readonly string[] {
  const { waiting } = side.chain
  const recipients = new Set([
    ...transfers.map(({ recipient }) => recipient),
    ...waiting.hashes.flatMap((hash) => waiting.find(hash)?.moves.map(({ recipient }) => recipient) ?? []),
  ])
  const final = transfers.filter(({ txHash }) => side.deepest.of(txHash) >= finalConfirmations)
  return assets
    .filter(({ network }) => network === side.name)
    .flatMap((asset) => findOrdersPaidEarly(model, asset, final, (address) => recipients.has(address)))
}

async function readCompletedEarly(
  { model, sessions }: Installation,
  side: UtxoSide,
  transfers: readonly TrueTransfer[],
): Promise<readonly string[]> {
  if (areBooksOpen(model) || model.orders.length === 0) return []
  const rows = await sessions.look<{ id: string }>(`select id from withdrawal where state = 'completed'`)
  const completed = new Set(rows.map(({ id }) => id))
  const paid = model.orders
    .filter(
      ({ id, asset }) => asset.network === side.name && completed.has(id) && !isTamperedOrder(model, id),
    )
    .map((order) => {
      const payments = transfers.filter(
        (one) => one.isFromUs && one.recipient === order.address && isOf(order.asset, one),
      )
      return { order, txHashes: payments.map(({ txHash }) => txHash) }
    })
  return findCompletedEarly(paid, (txHash) => side.deepest.of(txHash))
}
