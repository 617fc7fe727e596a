import { Type } from 'typebox'
import { formatDecimal } from '../../core/money.ts'
import { decimalOut, nullable } from '../../platform/http/wire.ts'
import type { WithdrawalPreview } from './preview-withdrawal.ts'

export const WithdrawalPreviewView = Type.Object(
  {
    address: nullable(
      Type.String({ description: 'in its usual spelling; null where money cannot go there' }),
    ),
    fee: nullable(
      Type.String({ description: 'a decimal string; null where the amount cannot be withdrawn' }),
    ),
    net: nullable(Type.String({ description: 'a decimal string: what the recipient would get' })),
    available: decimalOut,
    currency: Type.String(),
    lookalike: nullable(
      Type.String({
        description: 'an address that was paid before, begins and ends like this one, and is another',
      }),
    ),
    errors: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
      description: 'what is wrong, by field; empty where it can be ordered',
    }),
  },
  { title: 'WithdrawalPreview' },
)

export function withdrawalPreviewView({
  method,
  address,
  charged,
  availableMinor,
  lookalike,
  faults,
}: WithdrawalPreview) {
  const written = (minor: bigint) => formatDecimal(minor, method.decimals)
  return {
    address: address ?? null,
    fee: charged === undefined ? null : written(charged.feeMinor),
    net: charged === undefined ? null : written(charged.amountMinor - charged.feeMinor),
    available: written(availableMinor),
    currency: method.symbol,
    lookalike: lookalike ?? null,
    errors: faults.map(({ pointer, detail }) => ({ pointer, detail })),
  }
}
