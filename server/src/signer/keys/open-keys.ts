import { KeyTree } from './key-tree.ts'
import { openKeystore, passphraseCharsMin, readKeystore } from './keystore.ts'
import { readPassphrase, readPrivateFile } from './private-file.ts'

/** Opens a keystore. @throws SignerSetupError, KeystoreError */
export async function openKeys(keystore: string, passphraseFile: string, lanes: number): Promise<KeyTree> {
  const file = readKeystore(await readPrivateFile(keystore, 'keystore'), keystore)
  const passphrase = await readPassphrase(passphraseFile, passphraseCharsMin)
  return new KeyTree(await openKeystore(file, passphrase), lanes)
}
