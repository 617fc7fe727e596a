import { KeyTree } from './key-tree.ts'
import { openKeystore, passphraseCharsMin, readKeystore } from './keystore.ts'
import { readPassphrase, readPrivateFile } from './private-file.ts'

/**
 * Opens a keystore and derives its keys.
 * @throws SignerSetupError if a file is missing or has wrong mode bits.
 * @throws KeystoreError if the keystore is invalid or the passphrase is wrong.
 */
export async function openKeys(
  keystore: string,
  passphraseFile: string,
  hotWallets: number,
): Promise<KeyTree> {
  const file = readKeystore(await readPrivateFile(keystore, 'keystore'), keystore)
  const passphrase = await readPassphrase(passphraseFile, passphraseCharsMin)
  return new KeyTree(await openKeystore(file, passphrase), hotWallets)
}
