/** Makes the change of a new entry from what an operator enters. */
import { fail, type Problem } from '../../core/errors.ts'
import type { PaymentMethod } from '../payment-methods/payment-method.ts'
import { conflictsOf, methodIdsOf } from './conflicts.ts'
import { firstOwnMethodId, readOwnNetwork } from './own-network.ts'
import { readOwnToken, tokenName } from './own-token.ts'
import type { FieldProblem } from './row-fields.ts'
import type { NodesChange, OwnChange, OwnRows, RowState } from './signed-rows.ts'

/** A network or token as an operator enters it: without the fields that Coffer sets. */
export type Draft = Readonly<Record<string, unknown>>

export interface ChainIdRule {
  /** Tells what is wrong with the chain id in this installation; undefined if nothing is. */
  chainIdProblem(chainId: number): string | undefined
}

type ChangeOf<T extends OwnChange['type']> = Extract<OwnChange, { readonly type: T }>

/** @throws Problem with every field that is wrong */
export function networkChange(known: OwnRows, draft: Draft, rule: ChainIdRule): ChangeOf<'network'> {
  const row = readOwnNetwork({ ...draft, methodId: nextMethodId(known) })
  if ('problems' in row) throw refused(row.problems)
  const change = { type: 'network', row } as const
  requireNetwork(change, known, rule)
  return change
}

/**
 * Refuses a network that repeats something, or whose chain cannot be used here.
 * @throws Problem with every field that is wrong
 */
export function requireNetwork(
  change: ChangeOf<'network'>,
  known: OwnRows,
  { chainIdProblem }: ChainIdRule,
): void {
  const problem = chainIdProblem(change.row.chainId)
  if (problem !== undefined) throw refused([{ field: 'chainId', detail: problem }])
  requireNoConflict(change, known)
}

/**
 * @param others the payment methods of this installation, which may have other contracts than the catalogue
 * @throws Problem with every field that is wrong
 */
export function tokenChange(
  known: OwnRows,
  draft: Draft,
  others: readonly PaymentMethod[],
): ChangeOf<'token'> {
  const row = readOwnToken({ ...draft, methodId: nextMethodId(known) })
  if ('problems' in row) throw refused(row.problems)
  const change = { type: 'token', row } as const
  requireToken(change, known, others)
  return change
}

/**
 * Refuses a token that repeats something.
 * @throws Problem with every field that is wrong
 */
export function requireToken(
  change: ChangeOf<'token'>,
  known: OwnRows,
  others: readonly PaymentMethod[],
): void {
  const { row } = change
  requireNoConflict(change, known)
  const twin = others.find(({ network, contract }) => network === row.network && contract === row.contract)
  if (twin !== undefined)
    throw refused([{ field: 'contract', detail: `is already the contract of ${twin.asset}` }])
}

/**
 * Returns undefined if the row already is so.
 * @throws Problem if there is no such row
 */
export function stateChange(
  known: OwnRows,
  { kind, name, isEnabled }: RowState,
): ChangeOf<'state'> | undefined {
  const change = { type: 'state', kind, name, isEnabled } as const
  requireNoConflict(change, known)
  const named =
    kind === 'network'
      ? known.networks.filter(({ row }) => row.name === name)
      : known.tokens.filter(({ row }) => tokenName(row) === name)
  return named.some((one) => one.isEnabled !== isEnabled) ? change : undefined
}

/** @throws Problem if the operator has no such network */
export function nodesChange(known: OwnRows, { network, nodesHash }: NodesChange): ChangeOf<'nodes'> {
  const change = { type: 'nodes', network, nodesHash } as const
  requireNoConflict(change, known)
  return change
}

/** Ids are never used again, because entries are never removed. */
export function nextMethodId(known: OwnRows): number {
  return 1 + Math.max(firstOwnMethodId - 1, ...methodIdsOf(known))
}

function requireNoConflict(change: OwnChange, known: OwnRows): void {
  const problems = conflictsOf(change, known)
  if (problems.length > 0) throw refused(problems)
}

/** Returns the problem that names each wrong field. */
export function refused(problems: readonly FieldProblem[]): Problem {
  const errors = problems.map(({ field, detail }) => ({ pointer: `/${field.replaceAll('.', '/')}`, detail }))
  const detail = errors.map(({ pointer, detail: what }) => `${pointer}: ${what}`).join('; ')
  return fail('invalid-request', detail, { errors })
}
