/**
 * Checks that no payment was missed. Reads a sample of blocks again. Also looks for addresses that hold more
 * than the books say, and for the blocks that brought this money.
 */
import sql, { type Sql } from 'sql-template-tag'
import { addressFamilyOf, type NetworkName } from '../../../chains/networks.ts'
import { type BlockFacts, isBadAnswer } from '../../../chains/port.ts'
import { readFoundDeposits } from '../../../payments/deposits/recording/explained-store.ts'
import { externalTransfers } from '../../../payments/deposits/recording/external-transfers.ts'
import { explainTransfers, type FoundDeposit } from '../../../payments/deposits/recording/found-by-balance.ts'
import {
  type RecordedTransfer,
  unrecordedTransfers,
} from '../../../payments/deposits/recording/unrecorded-transfers.ts'
import type { PaymentMethods } from '../../../pricing/payment-methods/payment-method.ts'
import {
  type ChainInvariant,
  type ComparedChain,
  findingsMax,
  type Outcome,
  type Snapshot,
} from '../invariant.ts'
import { inRandomOrder } from '../random-order.ts'
import { type CursorBlock, readCursorBlock, unseen, whileAt } from './cursor-block.ts'
import { findSurpluses, missed, type OwnAddress, readUnsweptAddresses } from './find-surpluses.ts'

/**
 * Number of the highest final blocks that are read again. The same number of older blocks is read too, chosen
 * at random in each run.
 */
const sampledMax = 32
const readsAtOnce = 8

export function depositsAreRecorded(network: NetworkName): ChainInvariant {
  return {
    id: 'M7-chain',
    title: `payments to invoices in blocks of ${network} that are read again are recorded`,
    unit: 'blocks and addresses',
    network,
    prepare: async (snapshot) => {
      const known = await readKnown(snapshot, network)
      const { cursor } = known
      return (chain, signal) =>
        cursor === undefined
          ? Promise.resolve(unseen('no block was read yet'))
          : whileAt(chain, cursor, signal, () => compare(chain, { ...known, cursor }, signal))
    },
  }
}

interface Known {
  readonly cursor: CursorBlock | undefined
  readonly methods: PaymentMethods
  readonly blocks: readonly { readonly height: number; readonly hash: string }[]
  /** The addresses that were given to invoices. */
  readonly invoiced: ReadonlySet<string>
  /** All of our addresses, including hot wallets. */
  readonly ownAddresses: ReadonlySet<string>
  /** All recorded transfers in the sampled blocks. */
  readonly recorded: readonly RecordedTransfer[]
  /**
   * The hashes of our own transactions in the sampled blocks. The change of these transactions is no deposit.
   */
  readonly ownHashes: ReadonlySet<string>
  /** The deposits that were found by balance. */
  readonly found: readonly FoundDeposit[]
  /** The invoice addresses that no sweep has touched. */
  readonly unswept: readonly OwnAddress[]
  readonly firstHeight: number
}

async function readKnown({ on, methods }: Snapshot, network: NetworkName): Promise<Known> {
  const texts = async (query: Sql) =>
    new Set((await on.query<{ text: string }>(query)).map(({ text }) => text))
  const blocks = await on.query<{ height: number; hash: string }>(sql`
    with final as (
      select block.height, block.hash, row_number() over (order by block.height desc) as depth
      from block join chain_cursor cursor using (network)
      where network = ${network} and block.height > cursor.first_height
        and block.height <= case when cursor.final_height >= 0 then cursor.final_height else cursor.height end
    ), spread as (
      select height, hash from final where depth > ${sampledMax}
      order by ${inRandomOrder(sql`hash`)} limit ${sampledMax}
    )
    select height, hash from final where depth <= ${sampledMax} union all select height, hash from spread
    order by height`)
  const heights = blocks.map(({ height }) => height)
  const [followed] = await on.query<{ first_height: number }>(
    sql`select first_height from chain_cursor where network = ${network}`,
  )
  const family = addressFamilyOf(network)
  return {
    cursor: await readCursorBlock(on, network),
    methods,
    blocks,
    invoiced: await texts(sql`
      select address as text from address where family = ${family} and invoice_id is not null`),
    ownAddresses: await texts(sql`
      select address as text from address where family = ${family}
      union select address from hot_wallet where network = ${network}
      union select address from hot_wallet_address where network = ${network}`),
    recorded: await readRecorded(on, network, heights),
    ownHashes: await texts(sql`
      select included_tx_hash as text from outgoing_transaction
      where network = ${network} and included_height = any(${heights}::bigint[])`),
    found: await readFoundDeposits(on, network, { family, addresses: 'all' }),
    unswept: await readUnsweptAddresses(on, network),
    firstHeight: followed?.first_height ?? 0,
  }
}

async function readRecorded(
  on: Snapshot['on'],
  network: NetworkName,
  heights: readonly number[],
): Promise<readonly RecordedTransfer[]> {
  const rows = await on.query<Omit<RecordedTransfer, 'amountMinor'> & { amount: string }>(sql`
    select transfer_key as key, tx_hash as "txHash", recipient, amount_minor as amount from deposit
    where network = ${network} and block_height = any(${heights}::bigint[])
    union all
    select explained.transfer_key, explained.tx_hash, explained.recipient, explained.amount_minor
    from explained_transfer explained join deposit on deposit.id = deposit_id
    where explained.network = ${network} and explained.block_height = any(${heights}::bigint[])
      and deposit.block_height is not null`)
  return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }))
}

async function compare(
  chain: ComparedChain,
  known: Known & { readonly cursor: CursorBlock },
  signal: AbortSignal,
): Promise<Outcome> {
  const findings: string[] = []
  const remarks: string[] = []
  let examined = 0
  for (let from = 0; from < known.blocks.length; from += readsAtOnce) {
    const some = known.blocks.slice(from, from + readsAtOnce)
    const facts = await Promise.all(some.map(({ height }) => readKept(chain, height, signal)))
    for (const [index, { hash }] of some.entries()) {
      const block = facts[index]
      // If the hash is different, the check M18-chain reports the difference. A node that no longer keeps the
      // block is not a violation.
      if (block?.block.hash !== hash) continue
      examined += 1
      findings.push(...(await findUnrecorded(known, chain.reader, block, signal)))
    }
  }
  if (!chain.reader.traits.hasOutpoints) {
    const surpluses = await findSurpluses(chain, known, signal)
    findings.push(...surpluses.findings)
    remarks.push(...surpluses.remarks)
    examined += known.unswept.length
  }
  const reported = [...new Set(findings)].slice(0, findingsMax)
  return { examined, findings: reported, remarks: remarks.slice(0, findingsMax) }
}

/**
 * Reads a block. Returns undefined if the node answers but does not have the block or its transfers, as is
 * usual for old blocks.
 * @throws NodeError if the node cannot be reached
 */
async function readKept(
  { reader }: ComparedChain,
  height: number,
  signal: AbortSignal,
): Promise<BlockFacts | undefined> {
  return reader.readBlock(height, signal).catch((error: unknown) => {
    if (isBadAnswer(error)) return undefined
    throw error
  })
}

/**
 * Returns a finding for each payment in the block that the books lack. A payment is a transfer of a listed
 * asset from others to an invoice address.
 */
async function findUnrecorded(
  { methods, invoiced, ownAddresses, recorded, ownHashes, found }: Known,
  reader: ComparedChain['reader'],
  { block, transfers }: BlockFacts,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { network } = reader
  const received = transfers.filter(
    ({ txHash, recipient }) => invoiced.has(recipient) && !ownHashes.has(txHash),
  )
  const unrecorded = unrecordedTransfers(received, recorded)
  const strange = await externalTransfers(reader, unrecorded, ownAddresses, signal)
  const late = strange.map((transfer) => ({ height: block.height, transfer }))
  const { contested, unexplained } = explainTransfers(late, found)
  return [...contested, ...unexplained].flatMap(({ transfer }) => {
    const contract = transfer.asset.type === 'token' ? transfer.asset.contract : undefined
    const method = methods.byTransferred(network, contract)
    return method === undefined ? [] : [missed(block.height, method, transfer)]
  })
}
