import { evmSpends } from './evm/spend-codec.ts'
import type { SpendCodec } from './port.ts'

/** How each family writes its transactions. Pure: the signer's process loads nothing else of an adapter. */
export const spendCodecs: Readonly<Record<'evm', SpendCodec>> = { evm: evmSpends }
