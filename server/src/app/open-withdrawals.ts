import { networks } from '../chains/networks.ts'
import { decimal, usdDecimals } from '../core/money.ts'
import type { PayoutPurpose } from '../outgoing/engine/purpose.ts'
import type { ApprovalParts } from '../outgoing/withdrawals/approvals/approve-withdrawals.ts'
import { withdrawalPurpose } from '../outgoing/withdrawals/withdrawal-purpose.ts'
import { readIntentKey } from '../signer/keys/private-file.ts'
import { signerFiles } from '../signer/keys/signer-files.ts'
import { openOrderVerifier } from './keys/open-order-keys.ts'
import type { Config } from './settings/config.ts'

/**
 * What withdrawals hand to payouts, with the key that approves them: only the payouts role reads its file.
 * @throws SignerSetupError when the file is missing, is no key, or can be read by more than its user and group
 */
export async function openWithdrawals(
  config: Config,
  parts: Pick<ApprovalParts, 'db' | 'methods' | 'log' | 'screening'>,
): Promise<PayoutPurpose> {
  const { intentKeyFile, dataDir, approvalAboveUsd, gasBudgetEthereum } = config
  return withdrawalPurpose({
    ...parts,
    orders: await openOrderVerifier(config),
    intentKey: await readIntentKey(intentKeyFile ?? signerFiles(dataDir).intentKey),
    approvalAboveUsd: approvalAboveUsd === undefined ? undefined : decimal(approvalAboveUsd, usdDecimals),
    gasBudgetMinor: decimal(gasBudgetEthereum, networks.ethereum.coin.decimals),
  })
}
