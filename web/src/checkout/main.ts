/**
 * The script of the checkout. The page works without it; the script adds live updates, copying and wallets.
 */
import './checkout.css'
import { Card } from './card.ts'
import { enableClaim } from './claim.ts'
import { enableCopying } from './copy.ts'
import { Countdown } from './countdown.ts'
import { follow } from './follow.ts'
import { greetFrame, notifyFrame } from './frame.ts'
import { goBackOncePaid } from './leave.ts'
import { announce, clearNotice } from './notice.ts'
import { Wallets } from './wallets.ts'

document.documentElement.classList.add('scripted')
greetFrame()
const element = document.getElementById('card')
const path = element?.dataset['path']
if (element !== null && path !== undefined) start(element, path)

function start(element: HTMLElement, path: string): void {
  const query = element.dataset['query'] ?? ''
  const card = new Card(element, element.dataset['version'] ?? '')
  const live = follow({ path, query, version: () => card.version }, (status) => {
    const before = card.phase
    const isNew = card.show(status)
    countdown.restart(status.endsInS)
    countdown.show()
    if (!isNew) return
    // The new card shows the payment, or something more important, so this notice is no longer needed.
    clearNotice('walletSent')
    wallets.show()
    enableClaim(element, () => live.ask())
    notifyFrame(path, status.phase)
    if (status.phase !== before) goBackOncePaid(element, status.phase)
  })
  const countdown = new Countdown(element, () => live.ask())
  const wallets = new Wallets(element)
  const endsIn = element.dataset['endsIn'] ?? ''
  countdown.restart(endsIn === '' ? null : Number(endsIn))
  countdown.show()
  enableCopying(element)
  enableClaim(element, () => live.ask())
  notifyFrame(path, card.phase)
  window.addEventListener('offline', () => announce('offline'))
}
