/** All mutants. The simulation does not find a mutant if no seed reaches its code yet. */
import type { Mutant } from '../mutant.ts'
import { accessMutants } from './access.ts'
import { approvalMutants } from './approvals.ts'
import { auditedMutants } from './audited.ts'
import { depositMutants } from './deposits.ts'
import { engineMutants } from './engine.ts'
import { evmMutants } from './evm.ts'
import { haltMutants } from './halts.ts'
import { historyMutants } from './history.ts'
import { idempotencyMutants } from './idempotency.ts'
import { invoiceMutants } from './invoices.ts'
import { ledgerMutants } from './ledger.ts'
import { networkMutants } from './networks.ts'
import { priceMutants } from './prices.ts'
import { signerMutants } from './signer.ts'
import { sweepMutants } from './sweeps.ts'
import { utxoMutants } from './utxo.ts'
import { watcherMutants } from './watcher.ts'
import { webhookMutants } from './webhooks.ts'
import { withdrawalMutants } from './withdrawals.ts'

export const mutants: readonly Mutant[] = [
  ...ledgerMutants,
  ...depositMutants,
  ...invoiceMutants,
  ...priceMutants,
  ...withdrawalMutants,
  ...idempotencyMutants,
  ...approvalMutants,
  ...accessMutants,
  ...sweepMutants,
  ...engineMutants,
  ...haltMutants,
  ...evmMutants,
  ...networkMutants,
  ...utxoMutants,
  ...signerMutants,
  ...webhookMutants,
  ...watcherMutants,
  ...historyMutants,
  ...auditedMutants,
]
