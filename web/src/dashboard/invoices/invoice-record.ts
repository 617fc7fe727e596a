import type { components } from 'coffer-sdk'

export type InvoiceRecord = components['schemas']['InvoiceRecord']
