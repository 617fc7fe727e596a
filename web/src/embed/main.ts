/**
 * `coffer.js` opens the checkout of an invoice in a modal above the pages of a shop.
 *
 *     <script src="https://pay.example/coffer.js"></script>
 *     <a href="https://pay.example/pay/INVOICE-ID" data-coffer>Pay</a>
 *
 * Without the script, the link leads to the same page. `Coffer.open(url, { onPaid, onClose })` opens a
 * checkout from code. Use these callbacks only for display: only the webhook proves that an invoice is paid.
 */
interface FrameMessage {
  readonly source?: unknown
  readonly title?: unknown
  readonly closeLabel?: unknown
  readonly invoiceID?: unknown
  readonly phase?: unknown
  readonly request?: unknown
}

interface Options {
  /** Called when the checkout shows that the invoice is paid. */
  readonly onPaid?: (invoiceID: string) => void
  /** Called when the checkout is closed, with the last phase that it showed. */
  readonly onClose?: (phase: string) => void
}

{
  const script = document.currentScript as HTMLScriptElement | null
  const origin = new URL(script?.src ?? location.href).origin
  /**
   * Time to wait for the checkout's message that it has loaded. A checkout sends this message at once; an
   * error page of the browser never sends it.
   */
  const silenceMs = 2_000
  let shown: HTMLDialogElement | undefined

  const open = (url: string, { onPaid, onClose }: Options = {}) => {
    if (new URL(url, location.href).origin !== origin)
      throw new Error(`Coffer.open: the URL must be a checkout page of ${origin}, not ${url}`)
    shown?.close()
    const modal = build(url)
    const { dialog, frame, close } = modal
    const unlock = lockScrolling()
    let phase = ''
    const hear = ({ data, source, origin: from }: MessageEvent<FrameMessage>) => {
      if (from !== origin || source !== frame.contentWindow || data?.source !== 'coffer') return
      leaving.stop()
      if (data.request === 'close') return dialog.close()
      name(modal, data)
      if (typeof data.phase !== 'string') return
      const isNewlyPaid = data.phase === 'paid' && phase !== 'paid'
      phase = data.phase
      if (isNewlyPaid) onPaid?.(String(data.invoiceID))
    }
    const leaving = leaveWhereRefused(frame, url)
    addEventListener('message', hear)
    dialog.addEventListener('close', () => {
      removeEventListener('message', hear)
      leaving.stop()
      unlock()
      dialog.remove()
      if (shown === dialog) shown = undefined
      onClose?.(phase)
    })
    close.onclick = () => dialog.close()
    document.body.append(dialog)
    dialog.showModal()
    shown = dialog
    return { close: () => dialog.close() }
  }

  /** Sets the labels in the language of the checkout, as soon as the checkout has sent them. */
  const name = ({ dialog, frame, close }: ReturnType<typeof build>, { title, closeLabel }: FrameMessage) => {
    if (typeof title === 'string') dialog.ariaLabel = frame.title = title
    if (typeof closeLabel === 'string') close.ariaLabel = closeLabel
  }

  /**
   * Navigates to the checkout if it cannot be shown in a frame. The reason is either the shop's policy
   * (`frame-src`), or that the page forbids framing. In the second case the page never reports that it has
   * loaded.
   */
  const leaveWhereRefused = (frame: HTMLIFrameElement, url: string) => {
    let silence: ReturnType<typeof setTimeout> | undefined
    const leave = () => location.assign(url)
    const reportViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
      if (effectiveDirective === 'frame-src' && blockedURI.startsWith(origin)) leave()
    }
    const wait = () => {
      silence = setTimeout(leave, silenceMs)
    }
    const stop = () => {
      clearTimeout(silence)
      frame.removeEventListener('load', wait)
      document.removeEventListener('securitypolicyviolation', reportViolation)
    }
    frame.addEventListener('load', wait)
    document.addEventListener('securitypolicyviolation', reportViolation)
    return { stop }
  }

  /**
   * The page below the modal must not scroll, and must keep its width. Locks may be released in any order.
   */
  let locks = 0
  let unlocked = { overflow: '', scrollbarGutter: '' }
  const lockScrolling = () => {
    const { style, clientWidth } = document.documentElement
    if (locks++ === 0) {
      const { overflow, scrollbarGutter } = style
      unlocked = { overflow, scrollbarGutter }
      if (innerWidth > clientWidth) style.scrollbarGutter = 'stable'
      style.overflow = 'hidden'
    }
    return () => {
      if (--locks === 0) Object.assign(style, unlocked)
    }
  }

  /**
   * Builds the modal. Its styles are set as properties, because the shop's policy may not allow foreign style
   * sheets.
   */
  const build = (url: string) => {
    const dialog = document.createElement('dialog')
    dialog.ariaLabel = 'Checkout'
    Object.assign(dialog.style, {
      border: '0',
      // The radius is 0 if the dialog fills the screen.
      borderRadius: 'clamp(0px, (100vw - 480px) * 9999, 20px)',
      padding: '0',
      width: 'min(480px, 100vw)',
      height: 'min(860px, 100dvh)',
      maxWidth: '100vw',
      maxHeight: '100dvh',
      overflow: 'hidden',
      // The second shadow is the backdrop, because `::backdrop` can only be styled by a style sheet.
      boxShadow: '0 24px 80px rgb(0 0 0 / 0.35), 0 0 0 200vmax rgb(15 18 25 / 0.42)',
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
      insetInlineEnd: '8px',
      top: '8px',
      width: '44px',
      height: '44px',
      border: '0',
      padding: '0',
      borderRadius: '22px',
      font: '28px/1 system-ui, sans-serif',
      color: 'CanvasText',
      background: 'transparent',
      opacity: '0.7',
      cursor: 'pointer',
    })
    dialog.append(frame, close)
    return { dialog, frame, close }
  }

  addEventListener('click', (event) => {
    const link =
      event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-coffer]') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (event.defaultPrevented || link === null || !isPlain || link.origin !== origin) return
    event.preventDefault()
    open(link.href, {
      onPaid: (invoiceID) =>
        link.dispatchEvent(new CustomEvent('coffer:paid', { bubbles: true, detail: { invoiceID } })),
    })
  })

  Object.assign(globalThis, { Coffer: { open } })
}
