/** What `coffer help` says of the commands that run in a process of their own; nothing is loaded to say it. */

export interface Usage {
  readonly name: string
  readonly summary: string
  readonly usage: string
  readonly help: readonly string[]
}

export const signerUsage: Usage = {
  name: 'signer',
  summary: 'hold the keys and sign what was approved, in a process of its own',
  usage:
    '--keystore F --passphrase-file F --intent-key F --order-keys F --log F --checkpoint F --socket S [--policy F] [--lanes N] [--cold-address ethereum=0x..] | lift --halt ID --reason TEXT --keystore F --passphrase-file F [--new-incarnation] | accept-loss --reason TEXT --keystore F --passphrase-file F --log F --checkpoint F',
  help: [
    'Runs the signer until it gets SIGTERM. It reads no environment: run it with an empty one, under a user of its own,',
    'whose files nobody else can read. docs/signer.md has the users, modes and a systemd unit.',
    '',
    '--keystore         the encrypted seed, made by "coffer keys init"; mode 600',
    '--passphrase-file  its passphrase, on the first line; mode 600',
    '--intent-key       the key under which withdrawals are approved, shared with the payouts role; mode 640',
    '--order-keys       the public keys of orders, made by "coffer keys order-key"; mode 644',
    '--log              what was ever signed, made by "coffer keys init"; never delete it, never restore an older one',
    '--checkpoint       how far the log came, on a medium that is no part of the snapshots of this machine; an older log is refused',
    '--socket           the unix socket to listen on; its folder must be closed to others (mode 750)',
    '--policy           limits, as JSON, read again at SIGHUP; without it nothing may be sent except with --sandbox',
    '--lanes            how many hot wallets there are, 1 to 16; by default 4',
    '--cold-address     where "take-out" may go, a network and an address of it, once for each; else nothing is taken out',
    '--sandbox          for play money: no limits without --policy, and development chains only',
    '--child            ends when its standard input does, as a part of "coffer start"',
    '',
    'lift         prints one line that lifts a halt of payouts: give it to "coffer payouts resume" where Coffer runs. Nothing else',
    '             lifts one. It works beside the running signer. For a halt "history", after a copy of the database was put back,',
    '             --new-incarnation opens the history that goes on from that copy.',
    'accept-loss  has the signer start though its log is older than the checkpoint, or the checkpoint is lost. A payment that is',
    '             in the lost part could be made again: first look for the log that was written last. docs/signer.md says more.',
  ],
}

export const keysUsage: Usage = {
  name: 'keys',
  summary: 'make the keys, or print what may be known of them',
  usage:
    'init --keystore F --passphrase-file F --intent-key F --log F --checkpoint F [--import] [--print-words] | export-xpub --keystore F --passphrase-file F [--network litecoin] | order-key --private F --public F [--rotate] | rotate-encryption',
  help: [
    'init         makes a seed of 24 words, shows them once, and keeps them encrypted under the passphrase; prints XPUB_EVM and',
    '             the XPUB_... of the other networks, which go into the settings of the service.',
    '             A passphrase file or intent key that is missing is made, with a random one in it. Nothing that exists is',
    '             changed. Write the words down: they are shown by nothing else, and whoever has them has the money.',
    '             --import       reads the words from standard input instead: a restore, with a new, empty log',
    '             --print-words  shows the words although the output is no terminal',
    '',
    'export-xpub  prints the account xpub that goes into XPUB_EVM: from it addresses are made, and nothing can be spent',
    '             --network      that of bitcoin, litecoin or dogecoin, for XPUB_BITCOIN and so on',
    '             --sandbox      that of the chains for tests, on which all of these are one account',
    '',
    'order-key    makes the key by which the role api signs orders, where it is missing (--private, mode 600), and writes the public',
    '             keys (--public, mode 644) that the role payouts and the signer check them with. docs/order-keys.md has the steps.',
    '             --rotate       puts a new key before the others, which still count',
    '',
    'rotate-encryption  brings all that is under ENCRYPTION_KEY_PREVIOUS under ENCRYPTION_KEY, beside a running Coffer; run',
    '             again, it finds what is left. docs/encryption-key.md has the steps. It opens no keystore.',
  ],
}
