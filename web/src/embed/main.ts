/**
 * `coffer.js`, for a shop's own pages: opens the checkout of an invoice above them instead of leaving them.
 *
 *     <script src="https://pay.example/coffer.js"></script>
 *     <a href="https://pay.example/pay/INVOICE-ID" data-coffer>Pay</a>
 *
 * Without the script the link leads to the same page. `Coffer.open(url, { onPaid, onClose })` does it by hand. What the
 * shop is told here is for its looks alone: that an invoice is paid is said by the webhook.
 */
interface Told {
  readonly source?: unknown
  readonly invoiceID?: unknown
  readonly phase?: unknown
  readonly wish?: unknown
}

interface Options {
  /** Called once, as the checkout shows that the invoice is paid. */
  readonly onPaid?: (invoiceID: string) => void
  /** Called when the checkout is closed, with the last it showed. */
  readonly onClose?: (phase: string) => void
}

{
  const script = document.currentScript as HTMLScriptElement | null
  const origin = new URL(script?.src ?? location.href).origin

  const open = (url: string, { onPaid, onClose }: Options = {}) => {
    if (new URL(url, location.href).origin !== origin) throw new Error(`not a checkout of ${origin}: ${url}`)
    const { dialog, frame, close } = build(url)
    let phase = ''
    const hear = ({ data, source, origin: from }: MessageEvent<Told>) => {
      if (from !== origin || source !== frame.contentWindow || data?.source !== 'coffer') return
      if (data.wish === 'close') return dialog.close()
      const isNewlyPaid = data.phase === 'paid' && phase !== 'paid'
      phase = String(data.phase)
      if (isNewlyPaid) onPaid?.(String(data.invoiceID))
    }
    addEventListener('message', hear)
    dialog.addEventListener('close', () => {
      removeEventListener('message', hear)
      dialog.remove()
      onClose?.(phase)
    })
    close.onclick = () => dialog.close()
    document.body.append(dialog)
    dialog.showModal()
    return { close: () => dialog.close() }
  }

  /** Styles are set as properties: the shop's policy may allow no style of anyone else's. */
  const build = (url: string) => {
    const dialog = document.createElement('dialog')
    Object.assign(dialog.style, {
      border: '0',
      borderRadius: '20px',
      padding: '0',
      width: 'min(480px, 100vw)',
      height: 'min(860px, 100dvh)',
      maxWidth: '100vw',
      maxHeight: '100dvh',
      overflow: 'hidden',
      boxShadow: '0 24px 80px rgb(0 0 0 / 0.35)',
      colorScheme: 'light dark',
    })
    const frame = document.createElement('iframe')
    frame.src = url
    frame.title = 'Checkout'
    frame.allow = 'clipboard-write'
    Object.assign(frame.style, { border: '0', width: '100%', height: '100%', display: 'block' })
    const close = document.createElement('button')
    close.type = 'button'
    close.ariaLabel = 'Close'
    close.textContent = '\u00d7'
    Object.assign(close.style, {
      position: 'absolute',
      insetInlineEnd: '14px',
      top: '14px',
      width: '32px',
      height: '32px',
      border: '0',
      borderRadius: '16px',
      font: '20px/1 system-ui, sans-serif',
      color: '#fff',
      background: 'rgb(20 22 28 / 0.72)',
      cursor: 'pointer',
    })
    dialog.append(frame, close)
    return { dialog, frame, close }
  }

  addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-coffer]') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain || new URL(link.href).origin !== origin) return
    event.preventDefault()
    open(link.href, {
      onPaid: (invoiceID) =>
        link.dispatchEvent(new CustomEvent('coffer:paid', { bubbles: true, detail: { invoiceID } })),
    })
  })

  Object.assign(globalThis, { Coffer: { open } })
}
