import type { ReadingParts } from '../../pricing/own-rows/own-rows.ts'
import { openOperatorSigner, openOperatorVerifier } from '../keys/open-operator-keys.ts'
import type { Config } from '../settings/config.ts'

/** What the API needs to take entries that the operator signed. */
export interface OperatorKeys {
  readonly reading: ReadingParts
  /** Signs with the sandbox's own key. Undefined in production, whose private key is not on this server. */
  readonly sign: ((text: string) => string) | undefined
}

/**
 * Opens the keys of the operator. A sandbox signs with the key of its data folder, unless the operator has set keys.
 * @param xpub the account xpub of the EVM networks, which identifies the installation
 */
export async function openOperatorKeys(config: Config, xpub: string): Promise<OperatorKeys> {
  const reading = await openOperatorVerifier(config, xpub)
  const isOwnKey = config.operatorPublicKeys.length === 0 && config.operatorKeyFile === undefined
  if (config.mode !== 'sandbox' || !isOwnKey) return { reading, sign: undefined }
  const { sign } = await openOperatorSigner(config, xpub)
  return { reading, sign }
}
