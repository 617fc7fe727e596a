import { prepareOrderKeys, readOrderSigner, readOrderVerifier } from '../../signer/keys/order-keys.ts'
import { signerFiles } from '../../signer/keys/signer-files.ts'
import type { OrderSigner, OrderVerifier } from '../../signing/order-signature.ts'
import type { Config } from '../settings/config.ts'

type OrderKeyConfig = Pick<Config, 'mode' | 'dataDir' | 'orderKeyFile' | 'orderPublicKeysFile'>

/**
 * What signs orders: only the role api reads its file. A sandbox makes it where it is missing, which may be in a folder of
 * before orders were signed.
 * @throws SignerSetupError when the file is missing, holds no key, or can be read by others
 */
export async function openOrderSigner({ mode, dataDir, orderKeyFile }: OrderKeyConfig): Promise<OrderSigner> {
  const files = signerFiles(dataDir)
  if (mode === 'sandbox' && orderKeyFile === undefined) await prepareOrderKeys(files)
  return readOrderSigner(orderKeyFile ?? files.orderKey)
}

/** What checks them, in the role payouts. @throws SignerSetupError when the file is missing or holds no keys */
export function openOrderVerifier(config: OrderKeyConfig): Promise<OrderVerifier> {
  return readOrderVerifier(orderPublicKeysOf(config))
}

export function orderPublicKeysOf({ dataDir, orderPublicKeysFile }: OrderKeyConfig): string {
  return orderPublicKeysFile ?? signerFiles(dataDir).orderPublicKeys
}
