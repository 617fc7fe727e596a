import { Fact } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'

/** Shows the destination address of a withdrawal and its transaction. */
export function WithdrawalDestination({ address, txHash }: { address: string; txHash: string | null }) {
  return (
    <>
      <Fact name="Recipient address">
        <Copyable value={address} what="address" />
      </Fact>
      <Fact name="Transaction">
        {txHash === null ? 'not sent yet' : <Copyable value={txHash} what="transaction hash" />}
      </Fact>
    </>
  )
}
