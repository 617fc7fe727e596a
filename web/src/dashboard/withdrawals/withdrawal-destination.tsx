import { Fact } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'

/** Where a withdrawal goes, and the transaction that takes it there. */
export function WithdrawalDestination({ address, txHash }: { address: string; txHash: string | null }) {
  return (
    <>
      <Fact name="To">
        <Copyable value={address} what="address" />
      </Fact>
      <Fact name="Transaction">
        {txHash === null ? 'not sent yet' : <Copyable value={txHash} what="transaction hash" />}
      </Fact>
    </>
  )
}
