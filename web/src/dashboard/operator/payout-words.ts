/** What keeps money from leaving, in words of somebody who does not know the code. */
import type { components } from 'coffer-sdk'

type HaltCause = components['schemas']['HaltCause']

/** What it is called, and what it means. */
export interface Words {
  readonly title: string
  readonly meaning: string
}

/** A halt is told with what to look at before it is lifted. */
export interface HaltWords extends Words {
  readonly first: string
}

export const haltWords: Readonly<Record<HaltCause, HaltWords>> = {
  tampering: {
    title: 'Something was to be signed that nobody approved',
    meaning:
      'The signer was asked for a transaction that no approval stands behind, or that does something else than was approved. Somebody may be able to write to the database.',
    first:
      'Find out who could change what is stored. Give up what was altered (below) before you go on: resuming tries it again.',
  },
  books: {
    title: 'The books do not add up',
    meaning:
      'One of the rules that hold at every moment is broken, so that money may be missing or counted twice.',
    first: 'Run coffer verify on the host: it tells which rule, and where.',
  },
  'log-unknown': {
    title: 'Money moved that Coffer does not know of',
    meaning:
      'A chain or the log of the signer has a transaction of your wallets that the database has not. Somebody else may have the keys, or the database is older than the log.',
    first: 'Look the transaction up. If you did not send it, treat the keys as stolen.',
  },
  'xpub-foreign': {
    title: 'The signer has other keys',
    meaning: 'The keys behind the signer are not those to whose addresses customers have paid.',
    first: 'Compare the keystore and KEYSTORE_FILE with your backup.',
  },
  history: {
    title: 'History is not what it was',
    meaning:
      'The sealed history of the books is not the one that the signer countersigned. Somebody rewrote it, or the database was put back from a copy.',
    first:
      'If you restored a backup, docs/signer.md says how to go on. If not, find out who could write to it.',
  },
  'cold-address': {
    title: 'The cold address is one of your own hot ones',
    meaning: 'What you take out would come back to an address that Coffer itself spends from.',
    first: 'Set a cold address whose key Coffer has not, here and at the signer.',
  },
  'chain-ahead': {
    title: 'A chain is ahead of the database',
    meaning:
      'Your wallets sent transactions that neither the database nor the log of the signer knows, as if both had been restored from an older snapshot.',
    first:
      'Put back the newer database or log if you have them. Then let payouts go on: what the chain shows is taken over first.',
  },
  'signer-answer': {
    title: 'The signer answered with something else than it was asked',
    meaning:
      'What came back from the signer, or lies in its log, is not what was asked for, or its policy takes a token for another. Nothing of it was stored or sent.',
    first:
      'Read the detail. Where a policy names other decimals, put it right. Else take the signer’s host to be in other hands: stop the signer before you look.',
  },
}

const waits: Readonly<Record<string, Words>> = {
  funds: {
    title: 'A hot wallet holds too little',
    meaning: 'It goes on once deposits are collected, or once you send some of this asset to a hot wallet.',
  },
  recovery: {
    title: 'The wallets of a network are being secured',
    meaning:
      'Database and signer went back in time. What the chain shows is taken over, and forgotten transactions are made invalid, before anything else is sent.',
  },
  'recovery-undecided': {
    title: 'Securing the wallets waits for your word',
    meaning:
      'Payouts were mined and moved nothing. Say on the host of Coffer of each whether it was paid: coffer payouts settle-paid or settle-unpaid.',
  },
  capital: {
    title: 'Your own coin does not cover the network’s fees',
    meaning:
      'Fees are paid from the operator’s own money alone. Send coin to a hot wallet and say that it is capital.',
  },
  price: {
    title: 'The network asks for too high a fee',
    meaning: 'It goes on once the fee is below your ceiling, and below what the signer allows.',
  },
  policy: {
    title: 'The signer’s policy does not name this token',
    meaning: 'It goes on once the policy names its contract and the signer has read it again (SIGHUP).',
  },
  'lanes-full': {
    title: 'Every hot wallet has enough on its way',
    meaning: 'It goes on as transactions are mined.',
  },
  'coins-small': {
    title: 'The money lies in coins that are too small',
    meaning: 'It goes on once they are gathered, or once larger ones come in.',
  },
  stuck: {
    title: 'A transaction is not mined',
    meaning: 'As much was offered for it as may be. It goes on once the network takes it.',
  },
  'cold-address': {
    title: 'No cold address is set',
    meaning: 'Money was ordered out to it. Set it again, here and at the signer.',
  },
  'chain-stale': {
    title: 'The chain is not followed closely enough',
    meaning: 'Nothing is sent while blocks may be missing. See Nodes and lag.',
  },
  'asset-halted': {
    title: 'One asset is halted',
    meaning:
      'The chain contradicts the books in it. Find out why, then on the host of Coffer: coffer payouts resume.',
  },
  unsealed: {
    title: 'The books are not sealed in time',
    meaning: 'It goes on once the sealer has caught up. See whether the watcher runs.',
  },
  'books-unchecked': {
    title: 'The books were not proven in time',
    meaning: 'It goes on with the next proof. See whether the database keeps up.',
  },
  'solvency-unchecked': {
    title: 'The books were not compared with the chain in time',
    meaning: 'It goes on with the next comparison. See whether the nodes answer.',
  },
}

/** @param cause as the API names it, with what it is about behind a colon */
export function waitWords(cause: string): Words {
  const [word = cause] = cause.split(':')
  return waits[word] ?? { title: word.replaceAll('-', ' '), meaning: 'It passes by itself.' }
}

const refusals: Readonly<Record<string, string>> = {
  'not-approved': 'No approval stands behind it.',
  'not-as-intended': 'It would do something else than was approved.',
  'already-signed': 'The same was signed before, as another transaction.',
  'over-limit': 'It is above a limit of the signer’s policy.',
  'not-allowed': 'The signer’s policy does not allow it.',
  renumbered: 'Another transaction took its place in the wallet’s order.',
}

export function refusalWords(code: string): string {
  return refusals[code] ?? code.replaceAll('-', ' ')
}

const kinds: Readonly<Record<string, string>> = {
  withdrawal: 'Withdrawal',
  sweep: 'Collection of deposits',
  top_up: 'Coin for a deposit address',
  forward: 'Collection of one deposit',
  rebalance: 'Move between hot wallets',
  take_out: 'Take-out',
  deploy: 'Contract that collects deposits',
  lift: 'Push for a stuck transaction',
  reclaim: 'Return of unspent coins',
  consolidate: 'Gathering of small coins',
}

export function kindWords(kind: string): string {
  return kinds[kind] ?? kind.replaceAll('_', ' ')
}

const stages: Readonly<Record<string, string>> = {
  planned: 'planned, not signed yet',
  signed: 'signed, not sent yet',
  broadcast: 'sent, waits to be mined',
  in_doubt: 'sent; no node knows of it, and it is sent again',
  included: 'in a block that is not final yet',
}

export function stageWords(state: string): string {
  return stages[state] ?? state.replaceAll('_', ' ')
}
