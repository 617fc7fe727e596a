import { Type } from 'typebox'
import { formatDecimal } from '../../core/money.ts'
import { decimalOut, nullable } from '../../platform/http/wire.ts'
import type { WithdrawalPreview } from './preview-withdrawal.ts'

export const WithdrawalPreviewView = Type.Object(
  {
    address: nullable(
      Type.String({ description: 'the canonical form of the address; null if money cannot be sent to it' }),
    ),
    fee: nullable(Type.String({ description: 'a decimal string; null if the amount cannot be withdrawn' })),
    net: nullable(Type.String({ description: 'a decimal string: what the recipient would receive' })),
    available: decimalOut,
    currency: Type.String(),
    lookalike: nullable(
      Type.String({
        description: 'a different address that was paid before and begins and ends like this one',
      }),
    ),
    contractOn: Type.Array(Type.String({ examples: ['base'] }), {
      description:
        'the networks on which the address is a contract although it is none on the network of the payment method; then the order needs "confirmNetwork": true',
    }),
    uncheckedOn: Type.Array(Type.String({ examples: ['arbitrum'] }), {
      description: 'the networks whose nodes did not answer, so that the address may be a contract there',
    }),
    errors: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
      description: 'the errors by field; empty if the withdrawal can be ordered',
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
  foreignContract,
  errors,
}: WithdrawalPreview) {
  const written = (minor: bigint) => formatDecimal(minor, method.decimals)
  return {
    address: address ?? null,
    fee: charged === undefined ? null : written(charged.feeMinor),
    net: charged === undefined ? null : written(charged.amountMinor - charged.feeMinor),
    available: written(availableMinor),
    currency: method.symbol,
    lookalike: lookalike ?? null,
    contractOn: [...foreignContract.foundOn],
    uncheckedOn: [...foreignContract.uncheckedOn],
    errors: errors.map(({ pointer, detail }) => ({ pointer, detail })),
  }
}
