/** What a signer of tests knows of networks: their regtest rows, or others that a test has in place of them. */
import { type UtxoNetwork, utxoNetworkOf } from '../../src/chains/networks.ts'
import type { KeyTree } from '../../src/signer/keys/key-tree.ts'
import type { Account } from '../../src/signing/signer-port.ts'

export function accountsOf(keys: KeyTree, rows: readonly UtxoNetwork[]): readonly Account[] {
  return keys.accounts('regtest').map((account) => {
    const row = rows.find(({ name }) => name === account.family)
    return row === undefined ? account : { ...account, ...keys.accountOf(row.chain) }
  })
}

export function rowOf(rows: readonly UtxoNetwork[]): (name: string) => UtxoNetwork | undefined {
  return (name) => rows.find((row) => row.name === name) ?? utxoNetworkOf(name, 'regtest')
}
