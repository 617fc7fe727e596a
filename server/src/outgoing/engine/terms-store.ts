/**
 * The tables of the slots and fees of outgoing transactions, one table for each family of chains. Each
 * outgoing transaction has one row in the table of its family. A new family gets a table of its own, and a
 * case in each function of this file.
 */
import sql from 'sql-template-tag'
import { named } from '../../platform/db/pool.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { EvmTerms, FamilyTerms, Fees, UtxoTerms } from './outgoing-transaction.ts'

/**
 * The columns with the slot and the fees of the outgoing transaction `p`, for all chain families. The columns
 * of all families except its own are null.
 */
export const termsColumns = sql`evm.wallet, evm.nonce, evm.hot_wallet, evm.deposit_branch, evm.deposit_index, evm.gas_limit,
  evm.max_fee_per_gas, evm.max_priority_fee_per_gas, evm.max_fee_per_gas_limit,
  utxo.pinned_outpoint, utxo.change_index, utxo.vbytes, utxo.fee_rate, utxo.fee`

export const joinedTerms = sql`
  left join outgoing_evm evm on evm.outgoing_transaction_id = p.id
  left join outgoing_utxo utxo on utxo.outgoing_transaction_id = p.id`

export interface TermsRow {
  readonly max_cost_minor: string
  readonly wallet: string | null
  readonly nonce: number
  readonly hot_wallet: number | null
  readonly deposit_branch: number
  readonly deposit_index: number
  readonly gas_limit: string
  readonly max_fee_per_gas: string
  readonly max_priority_fee_per_gas: string
  readonly max_fee_per_gas_limit: string | null
  readonly pinned_outpoint: string
  readonly change_index: number | null
  readonly vbytes: string
  readonly fee_rate: string
  readonly fee: string
}

export function toTerms(row: TermsRow): FamilyTerms {
  return row.wallet === null ? utxoTermsOf(row) : evmTermsOf(row, row.wallet)
}

function evmTermsOf(row: TermsRow, wallet: string): EvmTerms {
  const deposit = { type: 'deposit', branch: row.deposit_branch, index: row.deposit_index } as const
  const sender =
    row.hot_wallet === null ? deposit : ({ type: 'hotWallet', hotWallet: row.hot_wallet } as const)
  const gasLimit = BigInt(row.gas_limit)
  const maxFeePerGas = BigInt(row.max_fee_per_gas)
  const dataFeeMinor = BigInt(row.max_cost_minor) - gasLimit * maxFeePerGas
  return {
    family: 'evm',
    slot: { sender, wallet, nonce: row.nonce },
    fees: {
      gasLimit,
      maxFeePerGas,
      maxPriorityFeePerGas: BigInt(row.max_priority_fee_per_gas),
      ...(dataFeeMinor === 0n ? {} : { dataFeeMinor }),
    },
    maxFeePerGasLimit: row.max_fee_per_gas_limit === null ? undefined : BigInt(row.max_fee_per_gas_limit),
  }
}

function utxoTermsOf(row: TermsRow): UtxoTerms {
  const change =
    row.change_index === null ? undefined : ({ type: 'hot', branch: 1, index: row.change_index } as const)
  return {
    family: 'utxo',
    slot: { pinnedOutpoint: row.pinned_outpoint, change },
    fees: { vbytes: BigInt(row.vbytes), feeRate: BigInt(row.fee_rate), fee: BigInt(row.fee) },
  }
}

type Owned = { readonly id: string; readonly network: string } & FamilyTerms

/** Stores the slots and fees of outgoing transactions whose own rows were inserted just now. */
export async function insertTerms(tx: Tx, outgoingTransactions: readonly Owned[]): Promise<void> {
  const evm = outgoingTransactions.flatMap((one) => (one.family === 'evm' ? [evmRowOf(one)] : []))
  const utxo = outgoingTransactions.flatMap((one) => (one.family === 'utxo' ? [utxoRowOf(one)] : []))
  if (evm.length > 0) await insertEvm(tx, evm)
  if (utxo.length > 0) await insertUtxo(tx, utxo)
}

function evmRowOf({ id, network, slot, fees, maxFeePerGasLimit }: Owned & EvmTerms) {
  const { sender, wallet, nonce } = slot
  return {
    id,
    network,
    wallet,
    nonce,
    hot_wallet: sender.type === 'hotWallet' ? sender.hotWallet : null,
    deposit_branch: sender.type === 'deposit' ? sender.branch : null,
    deposit_index: sender.type === 'deposit' ? sender.index : null,
    gas_limit: `${fees.gasLimit}`,
    max_fee_per_gas: `${fees.maxFeePerGas}`,
    max_priority_fee_per_gas: `${fees.maxPriorityFeePerGas}`,
    max_fee_per_gas_limit: maxFeePerGasLimit === undefined ? null : `${maxFeePerGasLimit}`,
  }
}

function utxoRowOf({ id, network, slot, fees }: Owned & UtxoTerms) {
  return {
    id,
    network,
    pinned_outpoint: slot.pinnedOutpoint,
    change_index: slot.change?.index ?? null,
    vbytes: `${fees.vbytes}`,
    fee_rate: `${fees.feeRate}`,
    fee: `${fees.fee}`,
  }
}

async function insertEvm(tx: Tx, rows: readonly ReturnType<typeof evmRowOf>[]): Promise<void> {
  await tx.query(
    named(
      'insert-outgoing-evm',
      sql`
      insert into outgoing_evm (outgoing_transaction_id, network, wallet, nonce, hot_wallet, deposit_branch, deposit_index,
        gas_limit, max_fee_per_gas, max_priority_fee_per_gas, max_fee_per_gas_limit)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
        id uuid, network text, wallet text, nonce bigint, hot_wallet smallint, deposit_branch integer, deposit_index bigint,
        gas_limit numeric, max_fee_per_gas numeric, max_priority_fee_per_gas numeric, max_fee_per_gas_limit numeric)`,
    ),
  )
}

async function insertUtxo(tx: Tx, rows: readonly ReturnType<typeof utxoRowOf>[]): Promise<void> {
  await tx.query(
    named(
      'insert-outgoing-utxo',
      sql`
      insert into outgoing_utxo (outgoing_transaction_id, network, pinned_outpoint, change_index, vbytes, fee_rate, fee)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
        id uuid, network text, pinned_outpoint text, change_index bigint, vbytes numeric, fee_rate numeric, fee numeric)`,
    ),
  )
}

export async function updateFees(tx: Tx, id: string, fees: Fees): Promise<void> {
  await tx.query(
    'vbytes' in fees
      ? sql`
        update outgoing_utxo set vbytes = ${`${fees.vbytes}`}, fee_rate = ${`${fees.feeRate}`}, fee = ${`${fees.fee}`}
        where outgoing_transaction_id = ${id}`
      : sql`
        update outgoing_evm set gas_limit = ${`${fees.gasLimit}`}, max_fee_per_gas = ${`${fees.maxFeePerGas}`},
          max_priority_fee_per_gas = ${`${fees.maxPriorityFeePerGas}`}
        where outgoing_transaction_id = ${id}`,
  )
}

/**
 * Releases the outputs that conflicted outgoing transactions had reserved, so that other transactions can
 * spend them.
 */
export async function releaseSlots(tx: Tx, ids: readonly string[]): Promise<void> {
  const own = [...ids]
  await tx.query(
    sql`update outgoing_transaction_input set is_released = true where outgoing_transaction_id = any(${own}::uuid[])`,
  )
  await tx.query(
    sql`update outgoing_utxo set is_released = true where outgoing_transaction_id = any(${own}::uuid[])`,
  )
}
