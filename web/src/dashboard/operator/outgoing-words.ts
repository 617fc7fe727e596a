/** Explains halts, waits, refusals, kinds and states of outgoing transactions to operators. */
import type { components } from 'coffer-sdk'

type HaltCause = components['schemas']['HaltCause']

/** A title and an explanation. */
export interface Words {
  readonly title: string
  readonly meaning: string
}

/** The explanation of a halt. `first` says what to check before the halt is lifted. */
export interface HaltWords extends Words {
  readonly first: string
}

export const haltWords: Readonly<Record<HaltCause, HaltWords>> = {
  tampering: {
    title: 'Tampering suspected',
    meaning:
      'The signer was asked to sign a transaction that was not approved or differs from its approval, or a stored row does not match its MAC or signature. Somebody may be able to write to the database.',
    first:
      'Find out who could change stored data. Drop altered transactions (below) before you resume, because resuming tries them again.',
  },
  books: {
    title: 'The books do not balance',
    meaning: 'An invariant of the books is violated. Money may be missing or counted twice.',
    first: 'Run coffer verify on the host. It reports the violated invariant and where it is violated.',
  },
  'log-unknown': {
    title: 'Unknown outgoing transaction',
    meaning:
      'A chain or the signer’s log has a transaction of your wallets that the database does not have. Somebody else may have the keys, or the database is older than the log.',
    first: 'Look up the transaction. If you did not send it, treat the keys as stolen.',
  },
  'xpub-foreign': {
    title: 'The signer has other keys',
    meaning: 'The signer’s keys do not belong to the addresses to which customers have paid.',
    first: 'Compare the keystore and KEYSTORE_FILE with your backup.',
  },
  history: {
    title: 'The history of the books does not match',
    meaning:
      'The sealed history of the books is not the one that the signer countersigned. Somebody rewrote it, or the database was restored from a copy.',
    first:
      'If you restored a backup, follow docs/signer.md. If not, find out who could write to the database.',
  },
  'cold-address': {
    title: 'The cold address is one of your hot addresses',
    meaning: 'Treasury withdrawals would go to an address that Coffer itself spends from.',
    first: 'Set a cold address whose key Coffer does not have, for the server and for the signer.',
  },
  'chain-ahead': {
    title: 'A chain is ahead of the database',
    meaning:
      'Your wallets sent transactions that neither the database nor the signer’s log has, as if both had been restored from an older snapshot.',
    first:
      'Restore the newer database or log if you have them. Then resume: Coffer first adopts the transactions that the chain shows.',
  },
  'signer-answer': {
    title: 'The signer’s answer does not match the request',
    meaning:
      'The signer’s answer or log has something that was not requested, or its policy mistakes one token for another. Nothing of it was stored or sent.',
    first:
      'Read the finding. If the policy has wrong decimals, correct it. Otherwise assume that the signer’s host is compromised, and stop the signer before you investigate.',
  },
}

const waits: Readonly<Record<string, Words>> = {
  funds: {
    title: 'Insufficient hot wallet balance',
    meaning: 'It continues once deposits are swept, or once you send some of this asset to a hot wallet.',
  },
  recovery: {
    title: 'The wallets of a network are being recovered',
    meaning:
      'Database and signer went back in time. Transactions that the chain shows are adopted and lost ones are invalidated before anything else is sent.',
  },
  'recovery-undecided': {
    title: 'The recovery of the wallets needs your decision',
    meaning:
      'Outgoing transactions were mined but moved no money. On Coffer’s host, settle each as paid or not paid: coffer payouts settle-paid or settle-unpaid.',
  },
  'recovery-unbooked': {
    title: 'Payments of lost orders must be booked',
    meaning:
      'Payments are on the chain whose orders the restored database does not have. On Coffer’s host, say to whom each belongs: coffer payouts book.',
  },
  capital: {
    title: 'Capital does not cover the network fees',
    meaning:
      'Network fees are paid from the operator’s own money only. Send native coin to a hot wallet and assign it to capital.',
  },
  price: {
    title: 'The network fee is too high',
    meaning: 'It continues once the fee is below your ceiling and below the signer’s limit.',
  },
  policy: {
    title: 'The signer’s policy does not name this token',
    meaning:
      'It continues once the policy names its contract and the signer has reloaded the policy (SIGHUP).',
  },
  'fee-model': {
    title: 'The signer’s policy and the network differ on base fees',
    meaning:
      'It continues once feeModel in the policy is right and the signer has reloaded the policy (SIGHUP).',
  },
  'hot-wallets-full': {
    title: 'All hot wallets have the maximum of pending transactions',
    meaning: 'It continues as transactions are mined.',
  },
  'utxos-small': {
    title: 'The UTXOs are too small',
    meaning: 'It continues once they are consolidated, or once larger ones are received.',
  },
  stuck: {
    title: 'A transaction is not mined',
    meaning: 'It already offers the highest fee that is allowed. It continues once the network accepts it.',
  },
  'cold-address': {
    title: 'No cold address is set',
    meaning: 'Treasury withdrawals wait for it. Set it again, for the server and for the signer.',
  },
  'chain-stale': {
    title: 'The chain is not followed closely enough',
    meaning: 'Nothing is sent while blocks may be missing. See Nodes.',
  },
  'asset-halted': {
    title: 'One asset is halted',
    meaning:
      'The chain contradicts the books of this asset. Find out why, then run on Coffer’s host: coffer payouts resume.',
  },
  unsealed: {
    title: 'The books are not sealed in time',
    meaning: 'It continues once the sealer has caught up. Check whether the watcher runs.',
  },
  'books-unchecked': {
    title: 'The books were not reconciled in time',
    meaning: 'It continues after the next reconciliation. Check whether the database keeps up.',
  },
  'solvency-unchecked': {
    title: 'The books were not compared with the chain in time',
    meaning: 'It continues after the next comparison. Check whether the nodes respond.',
  },
}

/**
 * Returns the title and explanation of a wait.
 * @param cause a cause of the API; its subject, such as an asset, follows after a colon
 */
export function waitWords(cause: string): Words {
  const [word = cause] = cause.split(':')
  return waits[word] ?? { title: word.replaceAll('-', ' '), meaning: 'It ends by itself.' }
}

const refusals: Readonly<Record<string, string>> = {
  'not-approved': 'It has no approval.',
  'not-as-intended': 'It differs from what was approved.',
  'already-signed': 'The same was already signed as another transaction.',
  'over-limit': 'It exceeds a limit of the signer’s policy.',
  'not-allowed': 'The signer’s policy does not allow it.',
  renumbered: 'Another transaction took its nonce.',
}

export function refusalWords(code: string): string {
  return refusals[code] ?? code.replaceAll('-', ' ')
}

const kinds: Readonly<Record<string, string>> = {
  withdrawal: 'Withdrawal',
  sweep: 'Sweep of deposits',
  top_up: 'Top-up of a deposit address',
  direct_sweep: 'Sweep of one deposit',
  rebalance: 'Rebalancing between hot wallets',
  treasury_withdrawal: 'Treasury withdrawal',
  deploy: 'Deployment of the sweep contract',
  cpfp: 'CPFP for a stuck transaction',
  reclaim: 'Reclaim of unspent outputs',
  consolidate: 'Consolidation of small UTXOs',
}

export function kindWords(kind: string): string {
  return kinds[kind] ?? kind.replaceAll('_', ' ')
}

const stages: Readonly<Record<string, string>> = {
  planned: 'planned, not signed yet',
  signed: 'signed, not sent yet',
  broadcast: 'sent, not mined yet',
  needs_recheck: 'sent, unknown to the nodes, sent again',
  included: 'in a block that is not final yet',
}

export function stageWords(state: string): string {
  return stages[state] ?? state.replaceAll('_', ' ')
}
