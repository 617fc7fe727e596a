import { networkTitle } from '../../../chains/networks.ts'
import type { AddressCodec } from '../../../chains/port.ts'
import { fail } from '../../../core/errors.ts'
import type { AuditAction } from '../../../platform/audit/audit-entry.ts'
import { recordAudit } from '../../../platform/audit/store.ts'
import type { Db } from '../../../platform/db/pool.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { ForeignContracts } from './find-foreign-contracts.ts'
import type { ForeignContract } from './foreign-contract.ts'

export interface RefuseForeignContractParts {
  readonly db: Db
  readonly foreignContracts: ForeignContracts
  codecOf(network: string): Pick<AddressCodec, 'display'>
}

/** A destination in canonical form, and the network on which it is to be paid. */
export interface NetworkDestination {
  readonly id: string
  readonly merchantId: string
  readonly network: string
  readonly address: string
  readonly accountId: string | undefined
  /** Whether the caller confirms that the recipient controls the address on this network. */
  readonly isConfirmed: boolean
}

/**
 * Rejects an address that is no contract on its network, but is one on another network that this server follows.
 * Such an address is usually a contract wallet. On a network where the wallet does not exist, its address may
 * belong to somebody else, or to nobody. If the caller confirms the address, it is accepted. A network whose nodes
 * do not answer stops no withdrawal. The audit log records rejections, confirmations and missing answers.
 * @throws Problem contract-elsewhere
 */
export async function refuseForeignContract(
  { db, foreignContracts, codecOf }: RefuseForeignContractParts,
  destination: NetworkDestination,
): Promise<void> {
  const { network, address, isConfirmed } = destination
  const found = await foreignContracts.find(network, address)
  const action = actionOf(found, isConfirmed)
  if (action === undefined) return
  await recordFinding(db, destination, action, found)
  if (action === 'withdrawal.network_refused')
    throw contractElsewhere(network, codecOf(network).display(address), found)
}

function actionOf({ foundOn, uncheckedOn }: ForeignContract, isConfirmed: boolean): AuditAction | undefined {
  if (foundOn.length > 0) return isConfirmed ? 'withdrawal.network_confirmed' : 'withdrawal.network_refused'
  return uncheckedOn.length > 0 ? 'withdrawal.network_unchecked' : undefined
}

async function recordFinding(
  db: Db,
  { id, merchantId, network, address, accountId }: NetworkDestination,
  action: AuditAction,
  { foundOn, uncheckedOn }: ForeignContract,
): Promise<void> {
  await inTransaction(db, (tx) =>
    recordAudit(tx, {
      ...(accountId !== undefined && { accountId }),
      merchantId,
      action,
      subject: id,
      details: { address, network, contractOn: foundOn, uncheckedOn },
    }),
  )
}

/** @param address is in display form */
function contractElsewhere(network: string, address: string, { foundOn }: ForeignContract) {
  const own = networkTitle(network)
  const detail =
    `${address} is a contract on ${foundOn.map(networkTitle).join(' and ')}, but not on ${own}, where it may belong to ` +
    `somebody else. Ask the recipient for an address on ${own}; if it is right, send "confirmNetwork": true.`
  return fail('contract-elsewhere', detail, {
    errors: [{ pointer: '/address', detail: `is not a contract on ${own}, but is one on another network` }],
  })
}
