import { Fact } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import type { PaymentMethod } from '../merchant/merchant-area.tsx'
import { TransactionHash } from '../methods.tsx'

interface DestinationProps {
  readonly address: string
  readonly txHash: string | null
  readonly method: PaymentMethod | undefined
}

/** Shows the destination address of a withdrawal and its transaction. */
export function WithdrawalDestination({ address, txHash, method }: DestinationProps) {
  return (
    <>
      <Fact name="Recipient address">
        <Copyable value={address} what="address" />
      </Fact>
      <Fact name="Transaction">
        {txHash === null ? 'not sent yet' : <TransactionHash txHash={txHash} method={method} />}
      </Fact>
    </>
  )
}
