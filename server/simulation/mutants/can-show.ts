/** Decides by the features of a seed whether it can show the harm of a mutant. */
import type { Features } from '../features.ts'

type HasFeatures = (features: Features) => boolean

const isAttacked: HasFeatures = ({ attack }) => attack !== undefined
const isRestored: HasFeatures = (features) => features.isRestored || features.hasWebhooks
const hasUtxo: HasFeatures = ({ networks }) => networks.utxo !== undefined
const hasEvm: HasFeatures = ({ networks }) => networks.evm.length > 0
/** In seeds with webhooks, processes have heartbeats. They notice then that the database was restored. */
const isSilentlyRestoredOnEvm: HasFeatures = ({ isRestored, hasWebhooks, networks }) =>
  isRestored && !hasWebhooks && networks.evm.length > 0
const hasSeveralNodes: HasFeatures = ({ nodes }) => nodes > 1
const hasListedSenders: HasFeatures = (features) => features.hasListedSenders
const hasWrongNetworks: HasFeatures = (features) => features.hasWrongNetworks
const canListWrongNetworks: HasFeatures = (features) => features.hasWrongNetworks && features.hasListedSenders
const hasHostileRecipients: HasFeatures = (features) => features.hasHostileRecipients

/**
 * The features that mutants need, by the beginning of the mutant's name. The first matching entry applies. A mutant
 * without an entry needs no feature.
 */
export const neededFeatures: readonly (readonly [string, HasFeatures])[] = [
  ['deposits/altered-deposit-credited', isAttacked],
  ['deposits/owner-unproven', isAttacked],
  ['deposits/quarantine-skipped', hasListedSenders],
  ['deposits/debt-not-repaid', ({ hasDebts }) => hasDebts],
  ['deposits/double-spend-unnoticed', hasUtxo],
  ['deposits/failed-transaction-credited', ({ hasListedFailures }) => hasListedFailures],
  ['invoices/expires-before-its-blocks', ({ hasLastMoments }) => hasLastMoments],
  ['prices/', ({ hasPrices }) => hasPrices],
  ['withdrawals/order-unverified', isAttacked],
  ['withdrawals/restored-without-hold', isRestored],
  ['withdrawals/failed-hold', hasHostileRecipients],
  ['withdrawals/day-sum-forgets', ({ approvalAboveUsd }) => approvalAboveUsd !== undefined],
  ['idempotency/', ({ hasKeys }) => hasKeys],
  ['approvals/', ({ approvalAboveUsd }) => approvalAboveUsd !== undefined],
  ['access/', ({ hasAccess }) => hasAccess],
  ['sweeps/treasury', ({ hasTreasury }) => hasTreasury],
  ['engine/adoption-skipped', isRestored],
  ['engine/position-passes-other-networks', isRestored],
  ['engine/refused-order-forgotten', isRestored],
  ['halts/', isRestored],
  ['evm/nonces-uncompared', isSilentlyRestoredOnEvm],
  ['evm/', hasEvm],
  ['networks/quarantine-credited', canListWrongNetworks],
  ['networks/suspect-on-all-networks', canListWrongNetworks],
  ['networks/data-fee-not-reserved', ({ networks }) => networks.evm.includes('base')],
  ['networks/credit', hasWrongNetworks],
  ['networks/wrong-network', hasWrongNetworks],
  ['networks/swept', hasWrongNetworks],
  ['networks/', ({ networks }) => networks.evm.length > 1],
  ['utxo/unfinal-change-spent', ({ networks }) => networks.utxo?.network.name === 'bitcoin'],
  ['utxo/', hasUtxo],
  ['history/', ({ hasWebhooks }) => hasWebhooks],
  ['signer/conflict-signed', isRestored],
  ['signer/checkpoint-not-written', isRestored],
  ['webhooks/numbers-used-again', isRestored],
  ['webhooks/', ({ hasWebhooks }) => hasWebhooks],
  ['watcher/one-node-believed', hasSeveralNodes],
  ['watcher/lagging-node-reverts', hasSeveralNodes],
  ['audited/gas-burned', hasHostileRecipients],
  ['audited/paid-twice-after-snapshot', isSilentlyRestoredOnEvm],
  ['audited/one-order-blocks-everybody', hasListedSenders],
  ['audited/completed-without-transfer', hasHostileRecipients],
  ['audited/false-credit-paid', hasSeveralNodes],
]

/** Returns whether a seed with these features can show the harm of a mutant. If not, it is tried last. */
export function canShow(mutant: string, features: Features): boolean {
  return neededFeatures.find(([begins]) => mutant.startsWith(begins))?.[1](features) ?? true
}
