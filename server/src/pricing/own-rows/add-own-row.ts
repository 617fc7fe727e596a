import { fail } from '../../core/errors.ts'
import type { Sealer } from '../../core/seal.ts'
import type { AuditAction } from '../../platform/audit/audit-entry.ts'
import { recordAudit } from '../../platform/audit/store.ts'
import type { Db } from '../../platform/db/pool.ts'
import { inTransaction, type Tx } from '../../platform/db/transaction.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import { conflictsOf, methodIdsOf } from './conflicts.ts'
import { sealNodes } from './nodes.ts'
import { firstOwnMethodId, readOwnNetwork } from './own-network.ts'
import { hasLost, lossIn, nextText, type ReadingParts, readOwnRows } from './own-rows.ts'
import { readOwnToken, tokenName } from './own-token.ts'
import type { FieldProblem } from './row-fields.ts'
import type { OwnChange, OwnRowKind, OwnRows } from './signed-rows.ts'
import { insertEntry, lockEntries, readEntries, saveSealedNodes } from './store.ts'

export interface AddParts {
  readonly db: Db
  readonly keys: ReadingParts & { sign(text: string): string }
  /** The number of the last entry that the operator knows. */
  readonly entryMin: number
  /** The operator's account; undefined for a command from the server's own shell. */
  readonly accountId?: string | undefined
}

/** A network as an operator enters it: without the fields that Coffer sets. */
export type NetworkDraft = Readonly<Record<string, unknown>>

export interface NetworkRules {
  readonly sealer: Sealer
  /** Tells what is wrong with the chain id in this installation; undefined if nothing is. */
  chainIdProblem(chainId: number): string | undefined
}

/**
 * Adds a network with its nodes. Whoever calls this has asked the chain before.
 * @throws Problem with every field that is wrong
 */
export function addNetwork(
  parts: AddParts,
  { sealer, chainIdProblem }: NetworkRules,
  draft: NetworkDraft,
  nodeUrls: readonly string[],
): Promise<OwnRows> {
  return append(parts, async (tx, known) => {
    const name = String(draft['name'])
    const { sealed, nodesHash } = sealNodes(sealer, name, nodeUrls)
    const row = readOwnNetwork({ ...draft, nodesHash, methodId: nextMethodId(known) })
    if ('problems' in row) throw refused(row.problems)
    const problem = chainIdProblem(row.chainId)
    if (problem !== undefined) throw refused([{ field: 'chainId', detail: problem }])
    const change = { type: 'network', row } as const
    requireNoConflict(change, known)
    await saveSealedNodes(tx, { network: name, sealed })
    return change
  })
}

/**
 * Adds a token. Whoever calls this has asked the chain before.
 * @param others the payment methods of this installation, which may have other contracts than the catalogue
 * @throws Problem with every field that is wrong
 */
export function addToken(
  parts: AddParts,
  draft: NetworkDraft,
  others: readonly PaymentMethod[],
): Promise<OwnRows> {
  return append(parts, async (_, known) => {
    const row = readOwnToken({ ...draft, methodId: nextMethodId(known) })
    if ('problems' in row) throw refused(row.problems)
    const change = { type: 'token', row } as const
    requireNoConflict(change, known)
    const twin = others.find(({ network, contract }) => network === row.network && contract === row.contract)
    if (twin !== undefined)
      throw refused([{ field: 'contract', detail: `is already the contract of ${twin.asset}` }])
    return change
  })
}

/**
 * Enables or disables a row. Nothing changes if it already is so.
 * @throws Problem if there is no such row
 */
export async function setRowState(
  parts: AddParts,
  state: { readonly kind: OwnRowKind; readonly name: string; readonly isEnabled: boolean },
): Promise<{ readonly isChanged: boolean; readonly rows: OwnRows }> {
  let isChanged = false
  const rows = await append(parts, async (_, known) => {
    const change = { type: 'state', ...state } as const
    requireNoConflict(change, known)
    const named =
      state.kind === 'network'
        ? known.networks.filter(({ row }) => row.name === state.name)
        : known.tokens.filter(({ row }) => tokenName(row) === state.name)
    isChanged = named.some(({ isEnabled }) => isEnabled !== state.isEnabled)
    return isChanged ? change : undefined
  })
  return { isChanged, rows }
}

/**
 * Signs an entry after those that are stored. Returns the rows with it.
 * @throws Problem if signed entries are missing, because the signature would then count for another state
 */
async function append(
  { db, keys, entryMin, accountId }: AddParts,
  make: (tx: Tx, known: OwnRows) => Promise<OwnChange | undefined>,
): Promise<OwnRows> {
  return inTransaction(db, async (tx) => {
    await lockEntries(tx)
    const stored = await readEntries(tx)
    const known = readOwnRows(stored, keys)
    const loss = lossIn(known, entryMin)
    if (loss !== undefined) throw fail('invalid-request', loss)
    const change = await make(tx, known)
    if (change === undefined) return known
    const text = nextText(known, keys.installation, change)
    const signature = keys.sign(text)
    const lastId = stored.at(-1)?.id ?? 0
    const now = readOwnRows([...stored, { id: lastId + 1, text, signature }], keys)
    if (now.hashes.length !== known.hashes.length + 1 || hasLost(known, now) || lossIn(now, 0) !== undefined)
      throw fail('invalid-request', 'No process would accept this entry, so it is not signed.')
    await insertEntry(tx, { text, signature })
    await recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      ...auditOf(change),
      details: { entry: now.hashes.length },
    })
    return now
  })
}

function auditOf(change: OwnChange): { readonly action: AuditAction; readonly subject: string } {
  switch (change.type) {
    case 'network':
      return { action: 'network.added', subject: change.row.name }
    case 'token':
      return { action: 'token.added', subject: tokenName(change.row) }
    case 'state':
      return { action: `${change.kind}.${change.isEnabled ? 'enabled' : 'disabled'}`, subject: change.name }
  }
}

/** Ids are never used again, because entries are never removed. */
function nextMethodId(known: OwnRows): number {
  return 1 + Math.max(firstOwnMethodId - 1, ...methodIdsOf(known))
}

function requireNoConflict(change: OwnChange, known: OwnRows): void {
  const problems = conflictsOf(change, known)
  if (problems.length > 0) throw refused(problems)
}

function refused(problems: readonly FieldProblem[]) {
  const errors = problems.map(({ field, detail }) => ({ pointer: `/${field.replaceAll('.', '/')}`, detail }))
  const detail = errors.map(({ pointer, detail: what }) => `${pointer}: ${what}`).join('; ')
  return fail('invalid-request', detail, { errors })
}
