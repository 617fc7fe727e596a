/** A token that an operator added, on a network that comes with Coffer or on one of its own. */
import { firstOwnMethodId, methodIdMax, readAmounts } from './own-network.ts'
import { type FieldProblem, RowFields } from './row-fields.ts'

/** The facts of an operator's token, as they are signed. Amounts are in units of the token. */
export interface OwnToken {
  readonly methodId: number
  readonly network: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** In canonical form. */
  readonly contract: string
  readonly minimum: string
  readonly depositMax: string
  readonly isStable: boolean
  readonly isCreditable: boolean
}

/** Reads a token from JSON. Returns every problem if there is one. */
export function readOwnToken(value: unknown): OwnToken | { readonly problems: readonly FieldProblem[] } {
  const fields = new RowFields(value)
  fields.allowOnly([
    'methodId',
    'network',
    'symbol',
    'name',
    'decimals',
    'contract',
    'minimum',
    'depositMax',
    'isStable',
    'isCreditable',
  ])
  const symbol = fields.text(
    'symbol',
    /^[A-Za-z][A-Za-z0-9.]{0,19}$/,
    'must have 1 to 20 letters, digits and dots',
  )
  const decimals = fields.whole('decimals', 0, 36)
  const row: OwnToken = {
    methodId: fields.whole('methodId', firstOwnMethodId, methodIdMax),
    network: fields.text('network', /^[a-z][a-z0-9]{1,29}$/, 'must be the name of an EVM network'),
    symbol,
    name: fields.title('name'),
    decimals,
    contract: fields.address('contract', 'a contract'),
    ...readAmounts(fields, decimals, symbol),
    isCreditable: fields.flag('isCreditable'),
  }
  return fields.problems.length > 0 ? { problems: fields.problems } : row
}

/** The name of a token among the operator's rows, which is also its asset's name in the ledger. */
export function tokenName({ network, symbol }: Pick<OwnToken, 'network' | 'symbol'>): string {
  return `${network}/${symbol}`
}
