import { evmNetworks } from '../chains/evm/evm-networks.ts'
import { decimal, usdDecimals } from '../core/money.ts'
import type { OutgoingSource } from '../outgoing/engine/outgoing-source.ts'
import type { ApprovalParts } from '../outgoing/withdrawals/approvals/approve-withdrawals.ts'
import type { CostParts } from '../outgoing/withdrawals/network-costs/weigh-withdrawals.ts'
import { withdrawalOutgoingSource } from '../outgoing/withdrawals/withdrawal-outgoing-source.ts'
import { readIntentKey } from '../signer/keys/private-file.ts'
import { signerFiles } from '../signer/keys/signer-files.ts'
import { openOrderVerifier } from './keys/open-order-keys.ts'
import type { Config } from './settings/config.ts'
import { ofNetwork } from './settings/network-settings.ts'

/**
 * Returns the outgoing source (see the glossary) that proposes merchants' withdrawals as outgoing
 * transactions. It authenticates approved withdrawals with the intent key. Only the role `payouts` reads the
 * file of that key.
 * @throws SignerSetupError if the file is missing, has no key, or can be read by users other than its owner
 *   and its group
 */
export async function openWithdrawals(
  config: Config,
  parts: Pick<ApprovalParts, 'db' | 'methods' | 'log' | 'screening'> & Pick<CostParts, 'gasBudgetsMinor'>,
): Promise<OutgoingSource> {
  const { intentKeyFile, dataDir, approvalAboveUsd } = config
  return withdrawalOutgoingSource({
    ...parts,
    orders: await openOrderVerifier(config),
    intentKey: await readIntentKey(intentKeyFile ?? signerFiles(dataDir).intentKey),
    approvalAboveUsd: approvalAboveUsd === undefined ? undefined : decimal(approvalAboveUsd, usdDecimals),
  })
}

/** Returns the gas budget of each EVM network that comes with Coffer, in the coin's smallest unit. */
export function gasBudgetsOf(config: Config): Map<string, bigint> {
  return new Map(
    Object.values(evmNetworks).map(({ name, coin }) => [
      name,
      decimal(ofNetwork(config, 'gasBudget', name), coin.decimals),
    ]),
  )
}
