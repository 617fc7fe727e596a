import { prepareOrderKeys, readOrderSigner, readOrderVerifier } from '../../signer/keys/order-keys.ts'
import { signerFiles } from '../../signer/keys/signer-files.ts'
import type { OrderSigner, OrderVerifier } from '../../signing/order-signature.ts'
import type { Config } from '../settings/config.ts'

type OrderKeyConfig = Pick<Config, 'mode' | 'dataDir' | 'orderKeyFile' | 'orderPublicKeysFile'>

/**
 * Returns the signer of withdrawal orders. Only the role `api` reads the private key file. A sandbox creates
 * the file if it is missing, even in a data folder of a version that did not sign orders.
 * @throws SignerSetupError if the file is missing, has no key, or can be read by others
 */
export async function openOrderSigner({ mode, dataDir, orderKeyFile }: OrderKeyConfig): Promise<OrderSigner> {
  const files = signerFiles(dataDir)
  if (mode === 'sandbox' && orderKeyFile === undefined) await prepareOrderKeys(files)
  return readOrderSigner(orderKeyFile ?? files.orderKey)
}

/**
 * Returns the verifier of withdrawal orders, for the role `payouts`.
 * @throws SignerSetupError if the file is missing or has no keys
 */
export function openOrderVerifier(config: OrderKeyConfig): Promise<OrderVerifier> {
  return readOrderVerifier(orderPublicKeysOf(config))
}

export function orderPublicKeysOf({ dataDir, orderPublicKeysFile }: OrderKeyConfig): string {
  return orderPublicKeysFile ?? signerFiles(dataDir).orderPublicKeys
}
