/**
 * The moves of merchants who archive or delete invoices. Payments to these invoices are credited
 * nevertheless.
 */
import { fateOf, merchantOf, type Play } from './play.ts'
import { callArchiveInvoice, callDeleteInvoice } from './world/call-invoices.ts'

export const invoicePlays = {
  'archive an invoice': async (world, dice) => {
    if (world.model.shown.length === 0) return 'nobody has an invoice to archive'
    const invoice = dice.pick(world.model.shown)
    const called = await callArchiveInvoice(world, invoice)
    return `${merchantOf(world, invoice.merchantId)} archives an invoice${fateOf(called)}`
  },
  'delete an invoice': async (world, dice) => {
    if (world.model.shown.length === 0) return 'nobody has an invoice to delete'
    const invoice = dice.pick(world.model.shown)
    const called = await callDeleteInvoice(world, invoice)
    return `${merchantOf(world, invoice.merchantId)} deletes an invoice${fateOf(called)}`
  },
} satisfies Readonly<Record<string, Play>>
