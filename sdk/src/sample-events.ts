// Written from contract/openapi.json by "npm run contract"; not to be edited.
import type { EventOf, EventType } from './event.ts'

/** Sample `data` of each event type. */
export const samples: { readonly [T in EventType]: EventOf<T>['data'] } = {
  "invoice.paid": {"invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","type":"onetime","reference":"order-1042","amount":"25","currency":"USDT","paidAt":"2027-03-14T15:09:26.535Z","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"},
  "invoice.expired": {"invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","type":"onetime","reference":"order-1042","amount":"25","state":"expired","exceptions":[]},
  "invoice.underpaid": {"invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","type":"onetime","reference":"order-1042","amount":"25","state":"expired","exceptions":["underpaid"]},
  "invoice.reverted": {"invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","type":"onetime","reference":"order-1042","amount":"25","state":"pending","exceptions":[]},
  "transaction.detected": {"transactionID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","currency":"USDT","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","amlOk":true,"isWrongNetwork":false},
  "transaction.confirmed": {"transactionID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","currency":"USDT","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","fee":"0.22","net":"12.28","confirmedAt":"2027-03-14T15:09:26.535Z","isWrongNetwork":false},
  "transaction.quarantined": {"transactionID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","currency":"USDT","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","reason":"listed","confirmedAt":"2027-03-14T15:09:26.535Z"},
  "transaction.reverted": {"transactionID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","currency":"USDT","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","wasConfirmed":true,"wasFailed":false},
  "transaction.failed": {"transactionID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","invoiceID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","currency":"USDT","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","replacedBy":"0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e"},
  "withdrawal.broadcast": {"withdrawalID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","fee":"0.20","net":"12.30","currency":"USDT","paymentMethodID":1,"invoiceID":null,"state":"pending","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","broadcastAt":"2027-03-14T15:09:26.535Z"},
  "withdrawal.completed": {"withdrawalID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","fee":"0.20","net":"12.30","currency":"USDT","paymentMethodID":1,"invoiceID":null,"reason":null,"explanation":null,"endedAt":"2027-03-14T15:09:26.535Z","state":"completed","txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"},
  "withdrawal.failed": {"withdrawalID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","fee":"0.20","net":"12.30","currency":"USDT","paymentMethodID":1,"invoiceID":null,"reason":"operator","explanation":"the recipient could not be confirmed","endedAt":"2027-03-14T15:09:26.535Z","state":"failed","networkCost":null,"txHash":null},
  "withdrawal.cancelled": {"withdrawalID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","fee":"0.20","net":"12.30","currency":"USDT","paymentMethodID":1,"invoiceID":null,"reason":"merchant","explanation":null,"endedAt":"2027-03-14T15:09:26.535Z","state":"cancelled","txHash":null},
  "collection.completed": {"sweepID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","amount":"12.50","currency":"USDT","paymentMethodID":1,"transactions":3,"txHash":"0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b","completedAt":"2027-03-14T15:09:26.535Z"},
  "webhook.disabled": {"url":"https://shop.example/coffer-events","reason":"gone","failingSince":"2027-03-14T15:09:26.535Z"},
  "webhook.test": {"testID":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"},
}
