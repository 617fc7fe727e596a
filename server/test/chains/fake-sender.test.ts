import { senderConformance } from '../../src/chains/conformance/sender.ts'
import type { SenderHarness } from '../../src/chains/conformance/sender-harness.ts'
import { FakeChain } from '../../src/chains/fake/fake-chain.ts'
import { openFakeReader } from '../../src/chains/fake/fake-reader.ts'
import { openFakeSender } from '../../src/chains/fake/fake-sender.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { newWallet, plentyMinor, signAs } from './own-wallets.ts'

senderConformance('the fake sender', async () => fakeSenderHarness())

function fakeSenderHarness(): SenderHarness {
  const chain = new FakeChain()
  const sender = openFakeSender(chain)
  const contract = chain.newAddress()
  const faucet = chain.newAddress()
  return {
    sender,
    reader: openFakeReader(chain),
    chainId: 31337,
    token: contract,
    newAddress: newWallet,
    wallet: async ({ coinMinor = plentyMinor, tokenMinor = 0n } = {}) => {
      const recipient = newWallet()
      const gifts = [
        { asset: { type: 'coin' }, sender: faucet, recipient, amountMinor: coinMinor },
        { asset: { type: 'token', contract }, sender: faucet, recipient, amountMinor: tokenMinor },
      ] as const
      chain.mine([chain.transaction(gifts)])
      return recipient
    },
    sign: signAs,
    delegateOf: spendCodecs.evm.delegateOf,
    mine: async () => sender.mine(),
    rollback: async (depth) => void chain.rollback(depth),
    close: () => sender.close(),
  }
}
