import { senderConformance } from '../../src/chains/conformance/sender.ts'
import type { SenderHarness } from '../../src/chains/conformance/sender-harness.ts'
import { spendCodecs } from '../../src/chains/spend-codecs.ts'
import { quantity, startTestAnvil } from '../support/anvil.ts'
import { devNetwork, openDevChain } from './evm-harness.ts'
import { newWallet, plentyMinor, signAs, sweepingOn } from './own-wallets.ts'

senderConformance('the EVM sender on anvil', senderHarness)

async function senderHarness(): Promise<SenderHarness> {
  const anvil = await startTestAnvil()
  const { sender } = sweepingOn(anvil)
  const reader = openDevChain(anvil.url)
  const { USDT: token } = await anvil.deployTokens()
  return {
    sender,
    reader,
    chainId: devNetwork.chainId,
    token,
    newAddress: newWallet,
    wallet: async ({ coinMinor = plentyMinor, tokenMinor = 0n } = {}) => {
      const address = newWallet()
      await anvil.rpc('anvil_setBalance', [address, quantity(coinMinor)])
      if (tokenMinor > 0n) await anvil.rpc('anvil_dealERC20', [address, token, quantity(tokenMinor)])
      return address
    },
    sign: signAs,
    delegateOf: spendCodecs.evm.delegateOf,
    mine: () => anvil.mine(),
    rollback: (depth) => anvil.rpc('anvil_rollback', [depth]),
    close: async () => {
      await Promise.all([sender.close(), reader.close()])
      await anvil.stop()
    },
  }
}
