/**
 * Checks that completed withdrawals were paid on chain as ordered, by reading their transfers from the node
 * again.
 */
import sql from 'sql-template-tag'
import { asBadAnswer, type ChainTraits, NodeError, type TransactionLookup } from '../../../chains/port.ts'
import { groupBy } from '../../../core/group-by.ts'
import {
  type ChainInvariant,
  type ComparedChain,
  findingsMax,
  type Outcome,
  type Snapshot,
} from '../invariant.ts'

/**
 * Maximum number of withdrawals that are checked, newest first. Each check reads a whole block, and nodes
 * rarely keep the traces of old blocks.
 */
const newestMax = 100

interface PaidWithdrawal {
  readonly id: string
  readonly txHash: string
  /** The height of the block in which the withdrawal is final. */
  readonly height: number
  /** The sending wallet; null on UTXO networks, where the inputs may come from many addresses. */
  readonly wallet: string | null
  readonly asset: string
  readonly address: string
  readonly netMinor: string
}

/**
 * Checks the newest completed withdrawals. The transaction of a withdrawal must have moved exactly the net
 * amount from our wallet to the withdrawal's address.
 */
export function withdrawalsArrived(network: string): ChainInvariant {
  return {
    id: 'M10-chain',
    title: `the newest ${newestMax} completed withdrawals of ${network} arrived as ordered`,
    unit: 'withdrawals',
    network,
    prepare: async (snapshot) => {
      const withdrawals = await readPaidWithdrawals(snapshot, network)
      const contracts = new Map(snapshot.methods.all.map(({ asset, contract }) => [asset, contract]))
      return (chain, signal) => compare(chain, { withdrawals, contracts }, signal)
    },
  }
}

/**
 * Reads amounts and addresses from the row of the withdrawal, not from the data that the signer received. The
 * invariant M10 compares the two.
 */
function readPaidWithdrawals({ on }: Snapshot, network: string): Promise<readonly PaidWithdrawal[]> {
  return on.query<PaidWithdrawal>(sql`
    select withdrawal.id, withdrawal.tx_hash as "txHash", outgoing_transaction.included_height as height,
      evm.wallet, withdrawal.asset, withdrawal.address,
      (amount_minor - withdrawal.fee_minor)::text as "netMinor"
    from withdrawal
    join outgoing_transaction_attempt attempt on attempt.network = ${network} and attempt.tx_hash = withdrawal.tx_hash
    join outgoing_transaction on outgoing_transaction.id = attempt.outgoing_transaction_id
    left join outgoing_evm evm on evm.outgoing_transaction_id = outgoing_transaction.id
    where withdrawal.state = 'completed' and outgoing_transaction.state = 'final'
      -- An operator decided that the withdrawal is paid, although the transfer differs from the order.
      and not exists (
        select from missing_transfer unmoved where unmoved.outgoing_transaction_id = outgoing_transaction.id and unmoved.outcome = 'paid')
    order by withdrawal.ended_at desc, withdrawal.id limit ${newestMax}`)
}

async function compare(
  { reader }: ComparedChain,
  parts: {
    readonly withdrawals: readonly PaidWithdrawal[]
    readonly contracts: ReadonlyMap<string, string | undefined>
  },
  signal: AbortSignal,
): Promise<Outcome> {
  const { withdrawals, contracts } = parts
  const findings: string[] = []
  const remarks: string[] = []
  let examined = 0
  for (const [txHash, paid] of groupBy(withdrawals, (withdrawal) => withdrawal.txHash)) {
    const lookup = await readSight(reader, txHash, paid[0]?.height, signal).catch(asBadAnswer)
    if (lookup instanceof NodeError) {
      remarks.push(`${txHash} could not be compared: ${lookup.message}`)
      continue
    }
    examined += paid.length
    const unclaimed = movedBy(lookup, reader.traits)
    for (const withdrawal of paid) {
      const due = keyOf({ ...withdrawal, contract: contracts.get(withdrawal.asset) })
      const index = unclaimed.indexOf(due)
      if (index >= 0) unclaimed.splice(index, 1)
      else findings.push(missing(withdrawal, lookup))
    }
  }
  if (examined === 0 && remarks.length > 0) throw new NodeError(remarks[0])
  return { examined, findings: findings.slice(0, findingsMax), remarks: remarks.slice(0, findingsMax) }
}

/**
 * Returns the transaction with its transfers. If a node has the block, the transfers are read from the block,
 * because several nodes must agree on a block. A lookup of a single transaction relies on one node.
 */
async function readSight(
  reader: ComparedChain['reader'],
  txHash: string,
  height: number | undefined,
  signal: AbortSignal,
): Promise<TransactionLookup> {
  const facts = height === undefined ? undefined : await reader.readBlock(height, signal)
  const transfers = facts?.transfers.filter((transfer) => transfer.txHash === txHash) ?? []
  if (facts !== undefined && transfers.length > 0) return { type: 'mined', block: facts.block, transfers }
  return reader.readTransaction(txHash, signal)
}

function movedBy(lookup: TransactionLookup, { hasOutpoints }: ChainTraits): string[] {
  if (lookup.type !== 'mined') return []
  return lookup.transfers.map(({ asset, sender = '', recipient, amountMinor }) =>
    keyOf({
      wallet: hasOutpoints ? null : sender,
      contract: asset.type === 'token' ? asset.contract : undefined,
      address: recipient,
      netMinor: amountMinor.toString(),
    }),
  )
}

function keyOf({
  wallet,
  contract = 'coin',
  address,
  netMinor,
}: Pick<PaidWithdrawal, 'wallet' | 'address' | 'netMinor'> & {
  readonly contract: string | undefined
}): string {
  return [wallet, contract, address, netMinor].join(' ')
}

function missing(
  { id, txHash, netMinor, asset, address }: PaidWithdrawal,
  { type }: TransactionLookup,
): string {
  const but = type === 'mined' ? 'moved something else' : `is ${type} at the node`
  return `withdrawal ${id} paid ${netMinor} ${asset} to ${address} by ${txHash}, which ${but}`
}
