// Written from contract/openapi.json by "npm run contract"; not to be edited.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All problems, for people */
        get: operations["listProblems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a problem means, for people */
        get: operations["getProblem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether a payment made now would be seen */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make an account */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log in */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchange a refresh token for a new token and a new refresh token */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the session of the token that is sent */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the password, which ends all other logins and API access tokens */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The API access tokens that are still good */
        get: operations["listTokens"];
        put?: never;
        /** Make an API access token */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tokens/{tokenID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End an API access token */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The logins of the account, the newest first */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** End all logins but the one that asks; API access tokens stay */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{sessionID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a login */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether a code is asked for at logins */
        get: operations["getSecondFactor"];
        put?: never;
        /** Show the secret of a second factor, to be confirmed by a code of it */
        post: operations["createSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have codes asked for from now on, and get recovery codes; ends all other logins and API access tokens */
        post: operations["confirmSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get new recovery codes in place of all there were */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have no codes asked for any more */
        post: operations["disableSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is logged in, and the CSRF token of the session */
        get: operations["getDashboardSession"];
        put?: never;
        /**
         * Log a browser in to the dashboard
         * @description Sets the cookie `coffer_session` (`__Host-coffer_session` over TLS), which a browser then sends by itself in place of a Bearer token. With it, whatever changes anything also needs `X-CSRF-Token`, from a page of this server. Programs take `POST /auth/login`.
         */
        post: operations["openDashboardSession"];
        /** Log out: end the session on every process, and take the cookie away */
        delete: operations["endDashboardSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dashboard/session/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show again who sits before a session, to send money with it
         * @description What sends money, or gives somebody the means to, is refused to a session’s cookie with `proof-required` until the request carries the `proof` of this answer as `X-Session-Proof`. Tokens and API keys need none.
         */
        post: operations["proveDashboardSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The merchants the caller has access to, with balances */
        get: operations["listMerchants"];
        put?: never;
        /** Make a merchant; the caller becomes its owner */
        post: operations["createMerchant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One merchant with its settings */
        get: operations["getMerchant"];
        /** Change the name, or with a Bearer token the settings */
        put: operations["updateMerchant"];
        post?: never;
        /** Delete a merchant with its balances, invoices, keys and settings */
        delete: operations["deleteMerchant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who works for the merchant, in which role */
        get: operations["listMembers"];
        put?: never;
        /** Let an account work for the merchant */
        post: operations["createMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/members/{accountID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the role of a member */
        put: operations["updateMember"];
        post?: never;
        /** End the access of a member, or leave */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who did what to the merchant’s money, keys, members and settings, the newest first */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ipAddress/{merchantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The addresses that the API key is restricted to, and the address you call from */
        get: operations["getIpRestriction"];
        /** Accept the API key from these addresses and CIDR ranges alone */
        put: operations["restrictIpAddresses"];
        post?: never;
        /** Accept the API key from anywhere again */
        delete: operations["liftIpRestriction"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key/generate/{merchantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a new API key, which replaces the present one at once */
        post: operations["generateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key/info/{merchantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** When the API key was made and last used */
        get: operations["getKeyInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/key/revoke/{merchantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End the API key */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/weebhook/{merchantID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The webhook, without its secret */
        get: operations["getWebhook"];
        put?: never;
        /** Create or replace the webhook */
        post: operations["createWebhook"];
        /** Remove the webhook */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/merchants/deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Deleted merchants that can be restored, the latest first */
        get: operations["listDeletedMerchants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/merchants/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a merchant that was deleted in the last 30 days; its key and webhook stay gone */
        post: operations["restoreOperatorMerchant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the payment methods invoices can be paid in */
        get: operations["listPaymentMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/funds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a merchant has available in each payment method */
        get: operations["listFunds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the least a merchant may collect and withdraw */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what a type of transaction costs a merchant
         * @description `type` may be called `transactionType`, and `paymentMethodID` `paymentMethodId` or `methodID`.
         */
        get: operations["getFees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/fees/amount": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what an amount costs a merchant, and what is left of it
         * @description `type` may be called `transactionType`, and `paymentMethodID` `paymentMethodId` or `methodID`.
         */
        get: operations["getFeeAmount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the fees that were set, for all merchants and for one */
        get: operations["listOperatorFees"];
        /** Set what a type of transaction costs: all merchants or one, all methods or one */
        put: operations["updateOperatorFees"];
        post?: never;
        /** Take back the fee that was set for exactly these */
        delete: operations["deleteOperatorFees"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the limits that were set, for all merchants and for one */
        get: operations["listOperatorLimits"];
        /** Set the least that may be collected or withdrawn: in USD for all methods, in the asset for one */
        put: operations["updateOperatorLimits"];
        post?: never;
        /** Take back the limits that were set for exactly these */
        delete: operations["deleteOperatorLimits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invoices */
        get: operations["listInvoices"];
        put?: never;
        /** Create an invoice */
        post: operations["createInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All invoices that match, as CSV for spreadsheets
         * @description Takes the filters of the list. In UTF-8 with a byte order mark, the newest invoice first. A text that a spreadsheet would take for a formula begins with an apostrophe.
         */
        get: operations["exportInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/{invoiceID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an invoice in full */
        get: operations["getInvoice"];
        put?: never;
        /** Archive an invoice: it leaves the default lists and can still be paid */
        post: operations["archiveInvoice"];
        /** Delete an invoice for good; money paid to it later is still credited */
        delete: operations["deleteInvoice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/{invoiceID}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close a collect or reusable invoice: paid if anything came in, else expired */
        post: operations["closeInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/{invoiceID}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let what came in short or late count as paid */
        post: operations["acceptInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/invoices/{invoiceID}/method/{methodID}/address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a payer where and how much to pay */
        get: operations["getPaymentAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/invoices/{invoiceID}/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the payment addresses of all methods of an invoice */
        get: operations["listPaymentAddresses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/{invoiceID}/claim-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Show the claim link of a withdraw invoice once more */
        post: operations["showClaimLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/transactions/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List transactions */
        post: operations["listTransactions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/transactions/{transactionID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a transaction */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payments in quarantine, the longest held first */
        get: operations["listOperatorQuarantine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/quarantine/{transactionID}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Give a payment in quarantine to its merchant, less the fee */
        post: operations["releaseOperatorQuarantine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/quarantine/{transactionID}/seize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a payment in quarantine for good */
        post: operations["seizeOperatorQuarantine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show volume by day and method, how many invoices were paid, and balances in USD */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/{invoiceID}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what happened to an invoice: quotes, payments, credits, and what the webhook was told */
        get: operations["getInvoiceTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/trace/{txHash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Why a transaction on chain was, or was not, credited: step by step, and the rule that stopped it */
        get: operations["getTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/weebhook/{merchantID}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what was sent to the webhook, and how it went */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/weebhook/{merchantID}/deliveries/{deliveryID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one delivery: what was sent, and each attempt */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/weebhook/{merchantID}/deliveries/{deliveryID}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send an event once more, with the same id and bytes */
        post: operations["redeliverWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/weebhook/{merchantID}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events again, from a sequence on
         * @description Queues events again, the same ids and bytes, in the order of their `sequence`. One call queues at most 10000 of them: where `next` is not null, call again with it as `after`. Refused with 429 while 50000 deliveries or more are still to be sent. A request with the same `Idempotency-Key` queues nothing twice.
         */
        post: operations["replayEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/weebhook/{merchantID}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a webhook.test event */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events in their order, webhook or not
         * @description Every event in the order of its `sequence`, to the byte as it is sent to the webhook, whether or not one is set. Keep `next` and send it as `after` next time: nothing is skipped and nothing comes twice. While `next` is below `last` there is more to read at once; a page may be empty all the same where `types` leave nothing of what was looked through. `readAgainAfter` is there where your `after` is the number of an event that the server lost, by a restore or a failover: it no longer has what you read after that number. Go on from `next` all the same, since no number is ever given to another event; what happened again is told again under a higher number.
         *
         *     With `waitS` a request stays open until there is an event, at most so long. It counts once towards the limit of requests. At most 20 readers of a merchant wait at once, and 40 of all merchants that one account owns, whichever keys they have; the next is answered 429.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List withdrawals */
        get: operations["listWithdrawals"];
        put?: never;
        /** Send some of the balance to an address outside */
        post: operations["createWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/withdrawals/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a withdrawal would come to, and all that is wrong with it; nothing is ordered */
        post: operations["previewWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/withdrawals/pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All withdrawals that have not ended, newest first */
        get: operations["listPendingWithdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/withdrawals/{withdrawalID}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a withdrawal */
        get: operations["getWithdrawal"];
        put?: never;
        post?: never;
        /** Cancel a withdrawal while nothing is planned; its money is available again */
        delete: operations["cancelWithdrawal"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Withdrawals that wait for an operator, the oldest first */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/approvals/{withdrawalID}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a withdrawal go out, whatever it is worth */
        post: operations["approveWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/approvals/{withdrawalID}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Refuse a withdrawal for which nothing is planned; its money is available again */
        post: operations["rejectWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List collections: how payments are brought together, by asset */
        get: operations["listCollections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/{invoiceID}/payout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The withdrawal by which a withdraw invoice is, or was, paid out */
        get: operations["getInvoicePayout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/invoices/{invoiceID}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Have a withdraw invoice paid out to an address */
        post: operations["claimInvoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/treasury": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what is held where and whose it is, per asset
         * @description The hot wallet is as it was when last looked at; all else is of this moment.
         */
        get: operations["getTreasury"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/unattributed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List money that came in and belongs to nobody we know, the latest first */
        get: operations["listUnattributed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/unattributed/{transactionID}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say whose unattributed money is: a merchant’s, who pays its usual fee, or the operator’s own */
        post: operations["assignUnattributed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/take-outs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what was ordered to the cold address, the latest first */
        get: operations["listTakeOuts"];
        put?: never;
        /** Order some of the operator’s own money to the cold address */
        post: operations["orderTakeOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/debts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what merchants owe, by their names and assets */
        get: operations["listDebts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/write-offs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bear what a merchant owes in an asset out of the operator’s capital; its payouts are free again */
        post: operations["writeOffDebt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how many deliveries wait, and whose webhooks fail */
        get: operations["getWebhookBacklog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what keeps money from leaving, what is on its way, and when the books were last proven
         * @description What can be decided of it is decided on the host, by `coffer payouts`: no request lifts a halt.
         */
        get: operations["getPayoutState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/sandbox/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay an invoice with test money, as a customer would
         * @description A real transaction on the dev chain, from an account that Coffer does not control.
         */
        post: operations["payInSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/invoices/{invoiceID}/sandbox-payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay an invoice of the merchant with test money, as a customer would
         * @description A real transaction on the dev chain. Only a sandbox has this operation.
         */
        post: operations["payInvoiceInSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/sandbox/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mine blocks on the dev chain at once */
        post: operations["mineInSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/sandbox/reorganisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take the last blocks of the dev chain back, with all that was in them */
        post: operations["reorganiseSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how each chain is followed: its lag, and what stops it */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the figures that Prometheus watches; open to clients on this machine alone */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this API’s contract (OpenAPI 3.1) */
        get: operations["getContract"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this API’s contract as a page, with examples to paste */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An event is told to the merchant’s webhook
         * @description Compute the HMAC-SHA256 of the raw body with the webhook’s secret, compare it in constant time with the signature, and answer 200 at once. An event that was not taken is sent again for about three days.
         */
        post: operations["receiveEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AssetFigures: {
            paymentMethodID: number;
            symbol: string;
            network: string;
            /** @description a decimal string */
            custody: string;
            /** @description a decimal string */
            hotWallet: string;
            lanes: components["schemas"]["Lane"][];
            /** @description a decimal string */
            depositAddresses: string;
            /** @description a decimal string */
            pendingDeposits: string;
            /** @description a decimal string */
            leaving: string;
            liabilities: {
                /** @description a decimal string */
                total: string;
                /** @description a decimal string */
                available: string;
                /** @description a decimal string */
                held: string;
                /** @description a decimal string */
                quarantine: string;
                /** @description a decimal string */
                belowMinimum: string;
                /** @description a decimal string */
                unattributed: string;
            };
            own: {
                /** @description a decimal string */
                free: string;
                /** @description a decimal string */
                capital: string;
                /** @description a decimal string */
                fees: string;
                /** @description a decimal string */
                networkFees: string;
                /** @description a decimal string */
                forfeited: string;
                takeable: {
                    /** @description a decimal string */
                    capital: string;
                    /** @description a decimal string */
                    fees: string;
                    /** @description a decimal string */
                    forfeited: string;
                };
            };
            /** @description a decimal string */
            owedByMerchants: string;
            queue: {
                withdrawals: number;
                /** @description a decimal string */
                amount: string;
                oldestSeconds: number;
                /** @description what the hot wallet lacks to pay the queue; a decimal string */
                shortfall: string;
            };
            /** @description where take-outs go on its network; null where none is set */
            coldAddress: string | null;
            /** @description whether custody covers what is owed to others */
            isSolvent: boolean;
        };
        AuditEntry: {
            /**
             * Format: uuid
             * @description an entry
             */
            id: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            at: string;
            /** @description what was done, such as member.added; new ones may be added */
            action: string;
            /** @description what it was done to, usually an id */
            subject: string;
            /** @description who did it; null for what happened by itself, by the API key, or from the server’s shell */
            account: {
                /**
                 * Format: uuid
                 * @description an account
                 */
                id: string;
                email: string | null;
            } | null;
            details: {
                [key: string]: unknown;
            };
        };
        BalanceEntry: {
            paymentMethodID: number;
            /** @description a decimal string */
            balance: string;
            symbol: string;
        };
        ChainState: {
            network: string;
            /** @description whether a payment made now would be seen */
            ready: boolean;
            /** @description why not, for people */
            obstacle: string | null;
            /** @description the last block that is booked */
            height: number | null;
            /** @description the last block that the node had */
            headHeight: number | null;
            lagBlocks: number | null;
            heardSecondsAgo: number | null;
            /** @description how old the last booked block is, by the time it states */
            blockSecondsAgo: number | null;
            failure: {
                height: number | null;
                message: string;
                failingSeconds: number;
            } | null;
            /** @description while nothing is credited, as so many blocks were taken back */
            depositsPaused: {
                depth: number;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                since: string;
                untilHeight: number;
            } | null;
        };
        Claim: {
            /** Format: uuid */
            id: string;
            address: string;
            /** @description a decimal string */
            amount: string;
            paymentMethodID: number;
            symbol: string;
            state: components["schemas"]["WithdrawalState"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            txHash: string | null;
        };
        /** @enum {string} */
        CollectState: "collecting" | "sweeping" | "completed";
        Collection: {
            /** Format: uuid */
            id: string;
            paymentMethodID: number;
            /** @description a decimal string: what is to be taken; once completed, what was */
            amount: string;
            /** @description how many payments that is */
            transactions: number;
            state: components["schemas"]["CollectionState"];
            txHash: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            completedAt: string | null;
        };
        /** @description A sweep has brought money from deposit addresses to the hot wallet for good. Balances do not change by it: they were credited when the payments were confirmed. */
        CollectionCompletedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "collection.completed";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the collection
                 */
                collectionID: string;
                /**
                 * @description a decimal string: what was brought in
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the number of a payment method */
                paymentMethodID: number;
                /**
                 * @description how many payments that is
                 * @example 3
                 */
                transactions: number;
                /** @description the transaction that brought it in */
                txHash: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                completedAt: string;
            };
        };
        /** @enum {string} */
        CollectionState: "planned" | "funding" | "sweeping" | "completed" | "blocked";
        Debt: {
            /** Format: uuid */
            merchantID: string;
            merchantName: string;
            paymentMethodID: number;
            symbol: string;
            network: string;
            /** @description a decimal string */
            amount: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            since: string;
        };
        DeletedMerchant: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            deletedAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            restorableUntil: string;
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            eventID: string;
            type: components["schemas"]["EventType"];
            /** @description of the event */
            sequence: number;
            state: components["schemas"]["DeliveryState"];
            attempts: number;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            nextAttemptAt: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            endedAt: string | null;
            /** @description the HTTP status of the last attempt */
            lastStatus: number | null;
            /**
             * @description why the last attempt brought no answer: `timeout`, `refused: ...` with the reason, or a code such as `ECONNREFUSED`
             * @example timeout
             */
            lastError: string | null;
        };
        DeliveryRecord: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            eventID: string;
            type: components["schemas"]["EventType"];
            /** @description of the event */
            sequence: number;
            state: components["schemas"]["DeliveryState"];
            attempts: number;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            nextAttemptAt: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            endedAt: string | null;
            /** @description the HTTP status of the last attempt */
            lastStatus: number | null;
            /**
             * @description why the last attempt brought no answer: `timeout`, `refused: ...` with the reason, or a code such as `ECONNREFUSED`
             * @example timeout
             */
            lastError: string | null;
            /**
             * @description the exact text that is signed and sent
             * @example {"id":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","type":"webhook.test"}
             */
            body: string;
            /** @description every attempt, first to last */
            attemptLog: {
                number: number;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                startedAt: string;
                /** @description how long it took, in milliseconds */
                tookMs: number;
                /** @description what was answered */
                status: number | null;
                /**
                 * @description why there was no complete answer
                 * @example timeout
                 */
                error: string | null;
                /**
                 * @description the first KiB of the answered body
                 * @example ok
                 */
                excerpt: string | null;
            }[];
        };
        /** @enum {string} */
        DeliveryState: "pending" | "delivered" | "exhausted" | "cancelled";
        /** @description New types may be added: a reader passes over those that it does not know. */
        Event: components["schemas"]["InvoicePaidEvent"] | components["schemas"]["InvoiceExpiredEvent"] | components["schemas"]["InvoiceUnderpaidEvent"] | components["schemas"]["InvoiceRevertedEvent"] | components["schemas"]["TransactionDetectedEvent"] | components["schemas"]["TransactionConfirmedEvent"] | components["schemas"]["TransactionQuarantinedEvent"] | components["schemas"]["TransactionRevertedEvent"] | components["schemas"]["TransactionFailedEvent"] | components["schemas"]["WithdrawalBroadcastEvent"] | components["schemas"]["WithdrawalCompletedEvent"] | components["schemas"]["WithdrawalFailedEvent"] | components["schemas"]["WithdrawalCancelledEvent"] | components["schemas"]["CollectionCompletedEvent"] | components["schemas"]["WebhookDisabledEvent"] | components["schemas"]["WebhookTestEvent"];
        /** @enum {string} */
        EventType: "invoice.paid" | "invoice.underpaid" | "invoice.expired" | "invoice.reverted" | "transaction.detected" | "transaction.confirmed" | "transaction.reverted" | "transaction.failed" | "transaction.quarantined" | "collection.completed" | "withdrawal.broadcast" | "withdrawal.completed" | "withdrawal.failed" | "withdrawal.cancelled" | "webhook.disabled" | "webhook.test";
        FeeAmount: {
            type: components["schemas"]["FeeType"];
            /**
             * @description a decimal string
             * @example 100
             */
            amount: string;
            /**
             * @description a decimal string
             * @example 1.1
             */
            fee: string;
            /**
             * @description a decimal string
             * @example 98.9
             */
            net: string;
            /**
             * @description the symbol of the method that was named, else USD
             * @example USDT
             */
            currency: string;
        };
        FeeRate: {
            type: components["schemas"]["FeeType"];
            paymentMethodID: number | null;
            /**
             * @description percent of the amount: "1.5" is 1.5 %
             * @example 1
             */
            percent: string;
            /**
             * @description what each transaction costs beside it, a decimal string in `currency`
             * @example 0.1
             */
            flat: string;
            /**
             * @description the symbol of the method that was named, else USD
             * @example USDT
             */
            currency: string;
        };
        FeeSchedule: {
            type: components["schemas"]["FeeType"];
            /** Format: uuid */
            merchantID: string | null;
            /** @description of the merchant, also of one that is deleted; null where none is named */
            merchantName: string | null;
            paymentMethodID: number | null;
            /** @example 1.5 */
            percent: string;
            /**
             * @description in `currency`
             * @example 0.5
             */
            flat: string;
            /**
             * @description USD, or the symbol of the method
             * @example USD
             */
            currency: string;
        };
        /** @enum {string} */
        FeeType: "onetime" | "reusable" | "collect" | "withdrawal";
        /** @enum {string} */
        HaltCause: "tampering" | "books" | "log-unknown" | "xpub-foreign" | "cold-address" | "chain-ahead" | "signer-answer" | "history";
        Invoice: {
            /** Format: uuid */
            id: string;
            /** @description a decimal string */
            amount: string;
            type: components["schemas"]["InvoiceType"];
            state: components["schemas"]["InvoiceState"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            paymentMethodID: number;
            amlOk: boolean;
            /** @description in lists with `showDetails` alone; so are the next two */
            description?: string | null;
            reference?: string | null;
            exceptions?: components["schemas"]["InvoiceException"][];
        };
        /** @enum {string} */
        InvoiceException: "underpaid" | "overpaid" | "late";
        /** @description An invoice is over and was not paid in full: its time has passed, or it was closed. Where something had come in, `invoice.underpaid` follows. */
        InvoiceExpiredEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "invoice.expired";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the invoice
                 */
                invoiceID: string;
                type: components["schemas"]["InvoiceType"];
                /**
                 * @description what the merchant called it when it was made; null where it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: what the invoice asks for, in USD
                 * @example 25
                 */
                amount: string;
                /** @constant */
                state: "expired";
                /**
                 * @description facts beside the state
                 * @example []
                 */
                exceptions: components["schemas"]["InvoiceException"][];
            };
        };
        /** @description An invoice was paid. Onetime and collect: when it becomes paid, about the transaction that completed it, with all that was received in its currency. Reusable: for each full payment, about that payment alone. Withdraw: when its claim was paid out. After a reorganisation of the chain an invoice can be paid, and told, once more. */
        InvoicePaidEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "invoice.paid";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the invoice
                 */
                invoiceID: string;
                type: components["schemas"]["InvoiceType"];
                /**
                 * @description what the merchant called it when it was made; null where it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: what was received in this currency, rounded down to at most 6 places
                 * @example 25
                 */
                amount: string;
                /** @description the symbol of the asset it was paid in */
                currency: string;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                paidAt: string;
                /** @description the transaction that paid it, or completed it */
                txHash: string;
                /**
                 * @description only there where not all that was paid passed screening
                 * @constant
                 */
                amlOk?: false;
            };
        };
        InvoiceRecord: {
            /** Format: uuid */
            id: string;
            /** @description a decimal string */
            amount: string;
            type: components["schemas"]["InvoiceType"];
            state: components["schemas"]["InvoiceState"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            paymentMethodID: number;
            amlOk: boolean;
            description: string | null;
            reference: string | null;
            /** @description facts beside the state */
            exceptions: components["schemas"]["InvoiceException"][];
            /**
             * @description what came in, as a decimal string in USD at the prices its payments were quoted
             * @example 12.50
             */
            amountPaid: string;
            collectState: components["schemas"]["CollectState"] | null;
            /** @example https://shop.example/thanks */
            redirectURL: string | null;
            paymentMethodIDs: number[];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            expiresAt: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            paidAt: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            closedAt: string | null;
            archived: boolean;
            /**
             * @description the page on which it is paid; of a withdraw invoice it takes the token of `claimURL` to be paid out
             * @example https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70
             */
            checkoutURL: string;
            addresses: components["schemas"]["MethodAddress"][];
            transactions: components["schemas"]["InvoiceTransaction"][];
            /** @description all there are; the newest of them are in `transactions`, every one in the transaction list */
            transactionsTotal: number;
        };
        /** @description What paid an invoice left the chain in a reorganisation, or was taken back: it is not paid any more. Usually the same transaction is mined again, and `invoice.paid` follows. */
        InvoiceRevertedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "invoice.reverted";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the invoice
                 */
                invoiceID: string;
                type: components["schemas"]["InvoiceType"];
                /**
                 * @description what the merchant called it when it was made; null where it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: what the invoice asks for, in USD
                 * @example 25
                 */
                amount: string;
                state: components["schemas"]["InvoiceState"];
                /**
                 * @description facts beside the state
                 * @example []
                 */
                exceptions: components["schemas"]["InvoiceException"][];
                /** @description of a reusable invoice: the transaction that no longer pays it; null where it is gone altogether */
                txHash?: string | null;
            };
        };
        /** @enum {string} */
        InvoiceState: "pending" | "paid" | "expired";
        InvoiceTransaction: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            invoiceID: string;
            /** @description a decimal string */
            amount: string;
            currency: string;
            paymentMethodID: number;
            state: components["schemas"]["TransactionState"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            confirmedAt: string | null;
            txHash: string | null;
        };
        /** @enum {string} */
        InvoiceType: "onetime" | "reusable" | "collect" | "withdraw";
        /** @description An invoice is over and was paid in part. What came in is credited all the same. */
        InvoiceUnderpaidEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "invoice.underpaid";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the invoice
                 */
                invoiceID: string;
                type: components["schemas"]["InvoiceType"];
                /**
                 * @description what the merchant called it when it was made; null where it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: what the invoice asks for, in USD
                 * @example 25
                 */
                amount: string;
                /** @constant */
                state: "expired";
                /**
                 * @description facts beside the state
                 * @example [
                 *       "underpaid"
                 *     ]
                 */
                exceptions: components["schemas"]["InvoiceException"][];
            };
        };
        Lane: {
            lane: number;
            address: string;
            /** @description a decimal string */
            balance: string;
            /** @description of the block at which the node was asked */
            height: number;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            at: string;
        };
        LimitOverride: {
            /** Format: uuid */
            merchantID: string | null;
            /** @description of the merchant, also of one that is deleted; null where none is named */
            merchantName: string | null;
            paymentMethodID: number | null;
            /** @description a decimal string */
            minCollect: string | null;
            /** @description a decimal string */
            minWithdraw: string | null;
            /**
             * @description USD for all methods, else the symbol of the method
             * @example USD
             */
            currency: string;
        };
        Limits: {
            /** @description a decimal string */
            minCollect: string;
            /** @description a decimal string */
            minWithdraw: string;
            /**
             * @description of minCollect and minWithdraw beside it
             * @constant
             */
            currency: "USD";
            methods: {
                paymentMethodID: number;
                symbol: string;
                /** @description a decimal string */
                minCollect: string;
                /** @description a decimal string */
                minWithdraw: string;
            }[];
        };
        Member: {
            /** Format: uuid */
            accountID: string;
            email: string;
            role: components["schemas"]["Role"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
        };
        Merchant: {
            /** Format: uuid */
            id: string;
            name: string;
            settings: {
                webhookUrl: string | null;
                ipWhitelist: string[];
                paidWhen: components["schemas"]["PaidWhen"];
                /** @description a decimal string */
                tolerancePercent: string;
            };
        };
        MethodAddress: {
            address: string;
            /** @description a decimal string */
            amount: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            expiresAt: string;
            paymentMethodID: number;
            symbol: string;
            /** @description opens a wallet: EIP-681 or BIP 21 */
            uri: string;
        };
        OpenPayouts: {
            network: string;
            state: components["schemas"]["PayoutStage"];
            count: number;
            /** @description since when the oldest of them is planned */
            oldestSeconds: number;
        };
        Overview: {
            /**
             * @description a day of UTC, YYYY-MM-DD
             * @example 2026-11-22
             */
            dateFrom: string;
            /**
             * @description a day of UTC, YYYY-MM-DD
             * @example 2026-11-22
             */
            dateTo: string;
            /**
             * @description a decimal string: what was confirmed in these days, at the prices it was valued at, in USD, rounded down to cents
             * @example 1250.00
             */
            volumeUsd: string;
            payments: number;
            /** @description those without a price, which no volume contains */
            unpricedPayments: number;
            /** @description what became of the invoices that were created in these days */
            conversion: {
                created: number;
                paid: number;
                expired: number;
                pending: number;
                /**
                 * @description a decimal string: paid of created
                 * @example 61.4
                 */
                percent: string | null;
            };
            /** @description as many days before these; percentages are null where nothing was then */
            before: {
                /**
                 * @description a day of UTC, YYYY-MM-DD
                 * @example 2026-11-22
                 */
                dateFrom: string;
                /**
                 * @description a day of UTC, YYYY-MM-DD
                 * @example 2026-11-22
                 */
                dateTo: string;
                /**
                 * @description a decimal string: what was confirmed then, in USD, rounded down to cents
                 * @example 1250.00
                 */
                volumeUsd: string;
                payments: number;
                /**
                 * @description a decimal string: how much more volume there is now, with a minus: less
                 * @example 12.5
                 */
                volumeChangePercent: string | null;
                /**
                 * @description a decimal string: likewise of payments
                 * @example -4.0
                 */
                paymentsChangePercent: string | null;
                /**
                 * @description a decimal string: paid of the invoices created then
                 * @example 58.0
                 */
                conversionPercent: string | null;
            };
            /** @description every day, the first one first */
            days: {
                /**
                 * @description a day of UTC, YYYY-MM-DD
                 * @example 2026-11-22
                 */
                day: string;
                /**
                 * @description a decimal string: what was confirmed that day, in USD, rounded down to cents
                 * @example 1250.00
                 */
                volumeUsd: string;
                payments: number;
                invoicesCreated: number;
                /** @description of those created that day */
                invoicesPaid: number;
            }[];
            methods: {
                paymentMethodID: number;
                /** @description the symbol of the asset */
                symbol: string;
                /** @description its network */
                network: string;
                /**
                 * @description a decimal string: what was confirmed, in the asset
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: the same, in USD, rounded down to cents
                 * @example 1250.00
                 */
                volumeUsd: string;
                /**
                 * @description a decimal string: of all volume; null where there is none
                 * @example 72.5
                 */
                volumePercent: string | null;
                payments: number;
            }[];
            balances: {
                /**
                 * @description a decimal string: all that is available and has a price, in USD, rounded down to cents
                 * @example 1250.00
                 */
                totalUsd: string;
                entries: {
                    paymentMethodID: number;
                    /** @description the symbol of the asset */
                    symbol: string;
                    /**
                     * @description a decimal string: what is available
                     * @example 12.50
                     */
                    balance: string;
                    /**
                     * @description a decimal string: the same; null where nothing was priced in the last hour, in USD, rounded down to cents
                     * @example 1250.00
                     */
                    usd: string | null;
                }[];
            };
        };
        /** @enum {string} */
        PaidWhen: "included" | "confirmed";
        PaymentAddress: {
            address: string;
            /** @description a decimal string */
            amount: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            expiresAt: string;
        };
        PaymentMethod: {
            paymentMethodID: number;
            symbol: string;
            name: string;
            network: string;
            decimals: number;
            /** @description blocks to wait for, for a small payment */
            confirmations: number;
            contract: string | null;
            /** @description a decimal string */
            minimum: string;
            /**
             * @description why nothing can be paid by it here; absent where it can
             * @example Its operator follows no dogecoin chain. To the operator: set UTXO_RPC_DOGECOIN to its nodes.
             */
            unavailable?: string;
        };
        PayoutHalt: {
            /**
             * Format: uuid
             * @description the halt, as "coffer signer lift" wants it
             */
            id: string;
            cause: components["schemas"]["HaltCause"];
            /** @description what was found */
            detail: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            since: string;
        };
        /** @enum {string} */
        PayoutStage: "planned" | "signed" | "broadcast" | "in_doubt" | "included" | "final" | "displaced";
        PayoutState: {
            /** @description why nothing new is sent, until it is decided on the host */
            halts: components["schemas"]["PayoutHalt"][];
            /** @description why something is not sent yet; each passes by itself */
            waits: components["schemas"]["PayoutWait"][];
            /** @description what was refused before anything was signed, the oldest first, at most 100 */
            refused: components["schemas"]["RefusedPayout"][];
            /** @description how many there are, counted up to 1,000 */
            refusedTotal: number;
            /** @description how many transactions are on their way, by network and state */
            open: components["schemas"]["OpenPayouts"][];
            /** @description when the books were last proven; null where they never were */
            booksCheckedSecondsAgo: number | null;
            /** @description whether payouts wait for that proof */
            isBooksCheckOverdue: boolean;
        };
        PayoutWait: {
            network: string;
            /** @description a stable word, such as capital; funds:<asset> where a hot wallet lacks that asset */
            cause: string;
            /** @description what is waited for */
            detail: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            since: string;
        };
        Quarantine: {
            /** Format: uuid */
            transactionID: string;
            /** Format: uuid */
            merchantID: string;
            /** @description of the merchant, also of one that is deleted; null where none is named */
            merchantName: string | null;
            /** Format: uuid */
            invoiceID: string | null;
            /** @description a decimal string */
            amount: string;
            currency: string;
            paymentMethodID: number;
            txHash: string;
            sender: string | null;
            /**
             * @description which of those who paid is listed; not the sender who pays through a contract
             * @example 0x8576acc5c05d6ce88f4e49bf65bdf0c62f91353c
             */
            listedAddress: string | null;
            /** @enum {string} */
            reason: "listed" | "unknown" | "implausible";
            /** @enum {string} */
            quarantine: "held" | "released" | "seized";
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            heldSince: string;
        };
        /**
         * @description `listed`: its sender is on a sanctions list; `unknown`: it could not be screened; `implausible`: the token tells of more than there is of it
         * @enum {string}
         */
        QuarantineReason: "listed" | "unknown" | "implausible";
        RefusedPayout: {
            /**
             * Format: uuid
             * @description the payout, which is its withdrawal’s or take-out’s own
             */
            id: string;
            network: string;
            /** @description what it is for, such as withdrawal or sweep */
            kind: string;
            /** @description why, such as over-limit */
            code: string;
            detail: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            refusedAt: string;
            /** @description when it is tried again; null where it waits for an operator */
            retryAt: string | null;
        };
        Replay: {
            /** @description how many events are sent again */
            count: number;
            /** @description what to send as "after" for the rest; null where nothing is left */
            next: number | null;
        };
        /** @enum {string} */
        Role: "owner" | "admin" | "viewer";
        SingleTransaction: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            invoiceID: string;
            /** @description a decimal string */
            amount: string;
            state: components["schemas"]["TransactionState"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            confirmedAt: string | null;
            txHash: string | null;
            paymentMethodID: number;
            currency: string;
            /** @description whether its sender passed screening; false as long as it cannot be told */
            amlOk: boolean;
            seenIn: components["schemas"]["TransactionWhereabouts"];
            /** @description hash of a transaction that spends the same money: only one of the two is ever mined, and this one fails when the other is final */
            replacedBy: string | null;
        };
        TakeOut: {
            /** Format: uuid */
            id: string;
            paymentMethodID: number;
            symbol: string;
            source: components["schemas"]["TakeOutSource"];
            /** @description a decimal string */
            amount: string;
            state: components["schemas"]["TakeOutState"];
            txHash: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            endedAt: string | null;
        };
        /** @enum {string} */
        TakeOutSource: "capital" | "fees" | "forfeited";
        /** @enum {string} */
        TakeOutState: "pending" | "completed" | "failed";
        TimelineEntry: {
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            at: string;
            /**
             * @description New ones may be added: a reader shows what it knows.
             * @enum {string}
             */
            step: "invoice.created" | "quote.given" | "payment.seen" | "payment.included" | "payment.confirmed" | "payment.quarantined" | "payment.failed" | "invoice.accepted" | "invoice.closed" | "invoice.paid" | "invoice.expired" | "webhook.delivered" | "webhook.failing" | "webhook.waiting" | "webhook.given-up" | "webhook.untold";
            paymentMethodID?: number;
            /** @description the symbol of the asset */
            currency?: string;
            /**
             * @description a decimal string: of a quote what it asked for, of a payment what was sent
             * @example 12.50
             */
            amount?: string;
            /**
             * @description a decimal string: what was credited
             * @example 12.50
             */
            net?: string;
            /**
             * @description a decimal string: what was kept
             * @example 0.22
             */
            fee?: string;
            /** @description until when a quote holds */
            until?: string;
            /**
             * Format: uuid
             * @description a payment
             */
            transactionID?: string;
            /** @description the same on chain */
            txHash?: string;
            blockHeight?: number;
            /** @description what the merchant’s server was told */
            eventType?: string;
            /**
             * Format: uuid
             * @description a delivery
             */
            deliveryID?: string;
            /** @description how often that was tried so far */
            attempts?: number;
        };
        Trace: {
            txHash: string;
            network: string;
            steps: {
                step: components["schemas"]["TraceStep"];
                ok: boolean;
                /** @example It was mined in block 1042. */
                detail: string;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                at: string | null;
            }[];
            verdict: {
                code: components["schemas"]["TraceVerdict"];
                /** @example The payment of 10 USDT has 1 of 2 confirmations. */
                detail: string;
            };
        };
        /** @enum {string} */
        TraceStep: "node" | "block" | "scanned" | "recipient" | "recorded" | "confirmations" | "credited" | "invoice";
        /** @enum {string} */
        TraceVerdict: "node-silent" | "unknown-transaction" | "in-mempool" | "failed-on-chain" | "nothing-moved" | "before-first-block" | "not-scanned-yet" | "not-to-this-merchant" | "own-move" | "unlisted-asset" | "not-recorded" | "dropped" | "unseen" | "replaced" | "waiting-for-confirmations" | "quarantined" | "below-minimum" | "other-asset" | "late" | "credited";
        Transaction: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            invoiceID: string;
            /** @description a decimal string */
            amount: string;
            state: components["schemas"]["TransactionState"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            confirmedAt: string | null;
            txHash: string | null;
            /** @description in lists with `showCurrency` alone */
            paymentMethodID?: number;
            /** @description likewise */
            currency?: string;
        };
        /** @description A payment has the confirmations it needs, and counts: it was credited, or waits below the minimum. Of one in quarantine it is told once it is released. */
        TransactionConfirmedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "transaction.confirmed";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the transaction
                 */
                transactionID: string;
                /**
                 * Format: uuid
                 * @description the invoice that was paid to
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: what was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the transaction on chain */
                txHash: string;
                /**
                 * @description a decimal string: what was kept; null while it is below the minimum
                 * @example 0.22
                 */
                fee: string | null;
                /**
                 * @description a decimal string: what was credited; null while it is below the minimum, which it may reach together with others
                 * @example 12.28
                 */
                net: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                confirmedAt: string;
            };
        };
        /** @description A payment was seen, in a block or on its way into one. It can still be taken back: nothing is credited yet. Told again when it is found in another block after a reorganisation. */
        TransactionDetectedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "transaction.detected";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the transaction
                 */
                transactionID: string;
                /**
                 * Format: uuid
                 * @description the invoice that was paid to
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: what was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the transaction on chain */
                txHash: string;
                /** @description false where its sender did not pass screening, or could not be screened so far */
                amlOk: boolean;
            };
        };
        /** @description A payment that was seen will never come: another transaction that spends the same money is final. On chains with accounts, such as Ethereum, this does not happen to what was seen in a block. */
        TransactionFailedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "transaction.failed";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the transaction
                 */
                transactionID: string;
                /**
                 * Format: uuid
                 * @description the invoice that was paid to
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: what was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the transaction on chain */
                txHash: string;
                /**
                 * @description the transaction that took its place
                 * @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e
                 */
                replacedBy: string | null;
            };
        };
        /** @description Told in place of `transaction.confirmed`: a payment has the confirmations it needs, and its sender did not pass screening, or nobody can have moved as much. Nothing is credited until it is released. */
        TransactionQuarantinedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "transaction.quarantined";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the transaction
                 */
                transactionID: string;
                /**
                 * Format: uuid
                 * @description the invoice that was paid to
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: what was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the transaction on chain */
                txHash: string;
                reason: components["schemas"]["QuarantineReason"];
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                confirmedAt: string;
            };
        };
        /** @description The block of a payment is no longer part of its chain, and what was credited is taken back; or what made it fail is. Usually the same transaction is mined again, and `transaction.detected` follows. */
        TransactionRevertedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "transaction.reverted";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the transaction
                 */
                transactionID: string;
                /**
                 * Format: uuid
                 * @description the invoice that was paid to
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: what was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the transaction on chain */
                txHash: string;
                /** @description whether it had been credited, or put into quarantine */
                wasConfirmed: boolean;
                /**
                 * @description whether it had failed, and waits again
                 * @example false
                 */
                wasFailed: boolean;
            };
        };
        /** @enum {string} */
        TransactionState: "pending" | "confirmed" | "failed";
        /**
         * @description where it is now; what is in no block counts for nothing yet
         * @enum {string}
         */
        TransactionWhereabouts: "block" | "mempool" | "nowhere";
        /** @enum {string} */
        UnattributedOwner: "merchant" | "capital";
        /** @enum {string} */
        UnattributedState: "pending" | "confirmed" | "failed";
        UnattributedTransaction: {
            /** Format: uuid */
            id: string;
            paymentMethodID: number;
            symbol: string;
            network: string;
            /** @description a decimal string */
            amount: string;
            txHash: string;
            sender: string | null;
            recipient: string;
            state: components["schemas"]["UnattributedState"];
            /** @description whether its sender passed screening */
            amlOk: boolean;
            /** @description to whom it came while that merchant was deleted */
            merchantID: string | null;
            /** @description of the merchant, also of one that is deleted; null where none is named */
            merchantName: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
        };
        Webhook: {
            url: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description when it was last set, as is createdAt */
            updatedAt: string;
            /**
             * @description until when the secret before this one signs beside it; null when none does
             * @example 2027-03-15T15:09:26.535Z
             */
            formerSecretValidUntil: string | null;
            state: components["schemas"]["WebhookState"];
            /**
             * @description until when nothing is sent because it answered 429 or 503 with Retry-After; null when it is sent to
             * @example 2027-03-14T16:09:26.535Z
             */
            restUntil: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            failingSince: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            disabledAt: string | null;
            disabledReason: ("gone" | "failing") | null;
        };
        WebhookBacklog: {
            /** @description deliveries that are still to be made */
            pending: number;
            /** @description those of them whose time has come */
            due: number;
            /** @description for how long the oldest of these has waited */
            oldestDueSeconds: number | null;
            /** @description those with the most deliveries to be made, the largest number first */
            merchants: {
                /**
                 * Format: uuid
                 * @description a merchant
                 */
                id: string;
                name: string;
                pending: number;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                failingSince: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                disabledAt: string | null;
            }[];
        };
        /** @description The webhook was switched off: its endpoint answered 410, or nothing but failures for days. It is found in the feed; nothing is sent until the webhook is set again. */
        WebhookDisabledEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "webhook.disabled";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /** @description where events were sent */
                url: string;
                /**
                 * @description `gone`: it answered 410; `failing`: it answered nothing but failures for five days
                 * @enum {string}
                 */
                reason: "gone" | "failing";
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                failingSince: string;
            };
        };
        /**
         * @description failing: the last attempt failed; disabled: nothing more is sent until it is set again
         * @enum {string}
         */
        WebhookState: "active" | "failing" | "disabled";
        /** @description Somebody asked for it: `POST /weebhook/{merchantID}/test`. */
        WebhookTestEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "webhook.test";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description what the request was answered with
                 */
                testID: string;
            };
        };
        Withdrawal: {
            /** Format: uuid */
            id: string;
            address: string;
            /** @description a decimal string */
            amount: string;
            paymentMethodID: number;
            state: components["schemas"]["WithdrawalState"];
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            txHash: string | null;
            stage: components["schemas"]["WithdrawalStage"] | null;
            waitsFor: components["schemas"]["WithdrawalWait"] | null;
            reason: components["schemas"]["WithdrawalEndReason"] | null;
            /** @description why it failed, in words */
            explanation: string | null;
            /** @description a decimal string */
            fee: string;
            /** @description a decimal string: what the recipient gets, the amount less the fee */
            net: string;
            /** @description a decimal string: what a failed transaction cost and was kept of the amount; null for others */
            networkCost: string | null;
            /** Format: uuid */
            invoiceID: string | null;
        };
        WithdrawalApproval: {
            /** Format: uuid */
            merchantID: string;
            /** @description of the merchant, also of one that is deleted; null where none is named */
            merchantName: string | null;
            symbol: string;
            /** @description at the current price; null without a fresh one */
            worthUSD: string | null;
            /** @description whether an operator let it go out */
            isReleased: boolean;
            withdrawal: components["schemas"]["Withdrawal"];
        };
        /** @description The first transaction of a withdrawal was sent to the chain. Another may take its place for a higher network fee; `withdrawal.completed` names the one that is in a block. */
        WithdrawalBroadcastEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "withdrawal.broadcast";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the withdrawal
                 */
                withdrawalID: string;
                /**
                 * @description a decimal string: what leaves the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: what of it is kept
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient gets, the amount less the fee
                 * @example 12.30
                 */
                net: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the number of a payment method */
                paymentMethodID: number;
                /**
                 * Format: uuid
                 * @description the withdraw invoice whose claim it pays; null for others
                 * @example null
                 */
                invoiceID: string | null;
                /** @constant */
                state: "pending";
                /** @description the transaction that pays it */
                txHash: string;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                broadcastAt: string;
            };
        };
        /** @description A withdrawal was cancelled before anything was sent, by its merchant, or because a deposit that it was to be paid from was taken back by its chain. Its whole amount is available again. */
        WithdrawalCancelledEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "withdrawal.cancelled";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the withdrawal
                 */
                withdrawalID: string;
                /**
                 * @description a decimal string: what leaves the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: what of it is kept
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient gets, the amount less the fee
                 * @example 12.30
                 */
                net: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the number of a payment method */
                paymentMethodID: number;
                /**
                 * Format: uuid
                 * @description the withdraw invoice whose claim it pays; null for others
                 * @example null
                 */
                invoiceID: string | null;
                /**
                 * @description who or what ended it; null for a completed one
                 * @example merchant
                 */
                reason: components["schemas"]["WithdrawalEndReason"] | null;
                /**
                 * @description why it ended, in words
                 * @example null
                 */
                explanation: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                endedAt: string;
                /** @constant */
                state: "cancelled";
                /**
                 * @description the last transaction that was sent for it; null where none was
                 * @example null
                 */
                txHash: string | null;
            };
        };
        /** @description The transaction of a withdrawal is final on its chain: the recipient has the money. */
        WithdrawalCompletedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "withdrawal.completed";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the withdrawal
                 */
                withdrawalID: string;
                /**
                 * @description a decimal string: what leaves the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: what of it is kept
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient gets, the amount less the fee
                 * @example 12.30
                 */
                net: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the number of a payment method */
                paymentMethodID: number;
                /**
                 * Format: uuid
                 * @description the withdraw invoice whose claim it pays; null for others
                 * @example null
                 */
                invoiceID: string | null;
                /**
                 * @description who or what ended it; null for a completed one
                 * @example null
                 */
                reason: components["schemas"]["WithdrawalEndReason"] | null;
                /**
                 * @description why it ended, in words
                 * @example null
                 */
                explanation: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                endedAt: string;
                /** @constant */
                state: "completed";
                /** @description the transaction that pays it */
                txHash: string;
            };
        };
        /** @enum {string} */
        WithdrawalEndReason: "merchant" | "payout" | "shortfall" | "operator" | "screening";
        /** @description A withdrawal cannot be paid, or was refused: its amount is available again, less `networkCost` where it failed on its chain. */
        WithdrawalFailedEvent: {
            /**
             * Format: uuid
             * @description the same in every delivery of this event
             */
            id: string;
            /** @constant */
            type: "withdrawal.failed";
            /** Format: uuid */
            merchantID: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ: when it happened */
            timestamp: string;
            /**
             * @description its place among the merchant's events, without gaps; where the server lost events it goes on a million higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the withdrawal
                 */
                withdrawalID: string;
                /**
                 * @description a decimal string: what leaves the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: what of it is kept
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient gets, the amount less the fee
                 * @example 12.30
                 */
                net: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the number of a payment method */
                paymentMethodID: number;
                /**
                 * Format: uuid
                 * @description the withdraw invoice whose claim it pays; null for others
                 * @example null
                 */
                invoiceID: string | null;
                /**
                 * @description who or what ended it; null for a completed one
                 * @example operator
                 */
                reason: components["schemas"]["WithdrawalEndReason"] | null;
                /**
                 * @description why it ended, in words
                 * @example the recipient could not be confirmed
                 */
                explanation: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                endedAt: string;
                /** @constant */
                state: "failed";
                /**
                 * @description a decimal string: what the network took for the failed transaction, kept of the amount
                 * @example null
                 */
                networkCost: string | null;
                /**
                 * @description the last transaction that was sent for it; null where none was
                 * @example null
                 */
                txHash: string | null;
            };
        };
        WithdrawalPreview: {
            /** @description in its usual spelling; null where money cannot go there */
            address: string | null;
            /** @description a decimal string; null where the amount cannot be withdrawn */
            fee: string | null;
            /** @description a decimal string: what the recipient would get */
            net: string | null;
            /** @description a decimal string */
            available: string;
            currency: string;
            /** @description an address that was paid before, begins and ends like this one, and is another */
            lookalike: string | null;
            /** @description what is wrong, by field; empty where it can be ordered */
            errors: {
                pointer: string;
                detail: string;
            }[];
        };
        /** @enum {string} */
        WithdrawalStage: "queued" | "approved" | "planned" | "signed" | "broadcast" | "in_doubt";
        /** @enum {string} */
        WithdrawalState: "pending" | "completed" | "failed" | "cancelled";
        /** @enum {string} */
        WithdrawalWait: "debt" | "funds" | "screening" | "rate" | "operator" | "gas-budget";
        /** @description A refusal, as RFC 7807 describes it. */
        Problem: {
            /**
             * Format: uri
             * @description a page that explains this kind of problem
             */
            type: string;
            /** @description the kind of problem in a few words */
            title: string;
            /** @description the HTTP status */
            status: number;
            /** @description what is wrong with this request, and what to do */
            detail: string;
            code: components["schemas"]["ProblemCode"];
            /**
             * Format: uuid
             * @description names this request; quote it when you ask
             */
            requestID: string;
            /** @description each fault of an invalid request, with its place */
            errors?: components["schemas"]["FieldError"][];
        };
        /**
         * @description The kind of problem, for programs. New ones may be added: go by the status where you know none.
         * @enum {string}
         */
        ProblemCode: "already-attributed" | "already-member" | "below-minimum" | "cold-address-missing" | "database-unavailable" | "email-taken" | "fee-exceeds-amount" | "forbidden" | "headers-too-large" | "idempotency-conflict" | "idempotency-in-progress" | "insufficient-balance" | "internal" | "invalid-address" | "invalid-code" | "invalid-login" | "invalid-request" | "invoice-not-acceptable" | "invoice-not-closable" | "invoice-not-payable" | "last-owner" | "listed-address" | "lookalike-address" | "malformed-json" | "merchant-gone" | "merchant-has-funds" | "method-not-allowed" | "method-not-offered" | "not-found" | "not-ready" | "nothing-owed" | "owes-more" | "payload-too-large" | "payment-under-way" | "payouts-frozen" | "proof-required" | "quarantine-ended" | "query-too-slow" | "rate-unavailable" | "reference-taken" | "registration-closed" | "request-timeout" | "second-factor-off" | "second-factor-on" | "too-busy" | "too-many-members" | "too-many-requests" | "too-many-tokens" | "too-many-withdrawals" | "two-factor-required" | "unauthenticated" | "unknown-account" | "unsupported-media-type" | "uri-too-long" | "webhook-disabled" | "withdrawal-ended" | "withdrawal-under-way";
        FieldError: {
            /** @description a JSON pointer into the body, or query/<name>, path/<name>, header/<name> */
            pointer: string;
            /** @description what is wrong there */
            detail: string;
        };
    };
    responses: {
        /** @description The request is not valid. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid; or: The body is not JSON. */
        InvalidBody: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A valid credential is required. */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description This credential does not permit the operation. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Nothing is here. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request did not arrive in time. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The address of the request is too long. */
        UriTooLong: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body must be application/json. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request headers are too large. */
        HeadersTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something went wrong on our side. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database does not answer; or: The request took the database too long; or: The server is at its limit. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
         * @example order-1042-first-try
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names this request in our log; quote it when you ask about it. */
        "X-Request-Id": string;
        /** @description The scheme that would be accepted. */
        "WWW-Authenticate": string;
        /** @description Seconds to wait before the next try. */
        "Retry-After": number;
        /** @description Requests that this credential may make in a window. */
        "RateLimit-Limit": number;
        /** @description Requests left in the present window. */
        "RateLimit-Remaining": number;
        /** @description The limit and the seconds of its window. */
        "RateLimit-Policy": string;
        /** @description Present where this is the stored answer of an earlier request with the same Idempotency-Key. */
        "Idempotent-Replayed": "true";
        /** @description Since when this operation is discouraged (RFC 9745). */
        Deprecation: string;
        /** @description From when this operation may be gone (RFC 8594). */
        Sunset: string;
        /** @description What takes its place. */
        Link: string;
        /** @description Seconds until the window begins anew. */
        "RateLimit-Reset": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            414: components["responses"]["UriTooLong"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listProblems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProblem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example not-found */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "restrictions": [
                     *         "litecoin credits nothing until block 3095974, as 13 blocks were taken back"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "ready";
                        /**
                         * @description what is wrong and yet lets payments be seen; absent where nothing is
                         * @example [
                         *       "litecoin credits nothing until block 3095974, as 13 blocks were taken back"
                         *     ]
                         */
                        restrictions?: string[];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            414: components["responses"]["UriTooLong"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The server is not ready; or: The request took the database too long; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "owner@shop.example",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            /** @description Registration is closed on this server. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description An account with this email exists. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "owner@shop.example",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                    /**
                     * @description of the account’s second factor: what its app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE",
                     *       "tokenType": "Bearer",
                     *       "expiresAt": "2027-03-14T15:09:26.535Z",
                     *       "refreshToken": "cr_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE"
                     *     }
                     */
                    "application/json": {
                        token: string;
                        /** @constant */
                        tokenType: "Bearer";
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                        refreshToken: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            /** @description The code of the second factor is wrong; or: The email or the password is wrong; or: A code of the second factor is required. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refreshToken": "cr_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE"
                 *     }
                 */
                "application/json": {
                    refreshToken: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE",
                     *       "tokenType": "Bearer",
                     *       "expiresAt": "2027-03-14T15:09:26.535Z",
                     *       "refreshToken": "cr_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE"
                     *     }
                     */
                    "application/json": {
                        token: string;
                        /** @constant */
                        tokenType: "Bearer";
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                        refreshToken: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currentPassword": "correct horse battery staple",
                 *       "newPassword": "another horse battery staple"
                 *     }
                 */
                "application/json": {
                    currentPassword: string;
                    newPassword: string;
                    /**
                     * @description of the account’s second factor: what its app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            /** @description The code of the second factor is wrong; or: A code of the second factor is required; or: A valid credential is required. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "name": "Corner Shop",
                     *         "createdAt": "2027-03-14T15:09:26.535Z",
                     *         "expiresAt": "2027-03-14T15:09:26.535Z"
                     *       }
                     *     ]
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        createdAt: string;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                    }[];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Corner Shop",
                 *       "days": 1
                 *     }
                 */
                "application/json": {
                    name: string;
                    days: number;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE",
                     *       "expiresAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        token: string;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description The account has as many tokens as it may. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                tokenID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "isCurrent": true,
                     *         "createdAt": "2027-03-14T15:09:26.535Z",
                     *         "lastSeenAt": "2027-03-14T15:09:26.535Z",
                     *         "expiresAt": "2027-03-14T15:09:26.535Z",
                     *         "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *         "userAgent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
                     *       }
                     *     ]
                     */
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description a login
                         */
                        id: string;
                        /** @description whether it is the one that asks */
                        isCurrent: boolean;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        createdAt: string;
                        /** @description when a browser’s login was last used, to within a minute; null for a program’s */
                        lastSeenAt: string | null;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                        /** @description the IP address it was begun from */
                        address: string | null;
                        /** @description what it was begun with, as that says itself */
                        userAgent: string | null;
                    }[];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ended": 1
                     *     }
                     */
                    "application/json": {
                        /** @description how many */
                        ended: number;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                sessionID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "isOn": true,
                     *       "since": "2027-03-14T15:09:26.535Z",
                     *       "recoveryCodesLeft": 1
                     *     }
                     */
                    "application/json": {
                        isOn: boolean;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        since: string | null;
                        recoveryCodesLeft: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "a-secret-of-at-least-32-characters",
                     *       "uri": "otpauth://totp/Coffer:ada"
                     *     }
                     */
                    "application/json": {
                        /** @description to be typed into the app, where the QR code cannot be read */
                        secret: string;
                        /**
                         * @description what the QR code holds
                         * @example otpauth://totp/Coffer:ada
                         */
                        uri: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The account has a second factor. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    confirmSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "492039"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description of the account’s second factor: what its app shows now, or a recovery code
                     * @example 492039
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "k3xq-7fd2-m4ra-z6te"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description 10 codes that work once each without the app; shown now and never again
                         * @example [
                         *       "k3xq-7fd2-m4ra-z6te"
                         *     ]
                         */
                        recoveryCodes: string[];
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The account has no second factor; or: The account has a second factor. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "492039"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description of the account’s second factor: what its app shows now, or a recovery code
                     * @example 492039
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "k3xq-7fd2-m4ra-z6te"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description 10 codes that work once each without the app; shown now and never again
                         * @example [
                         *       "k3xq-7fd2-m4ra-z6te"
                         *     ]
                         */
                        recoveryCodes: string[];
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The account has no second factor. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    disableSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "492039"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description of the account’s second factor: what its app shows now, or a recovery code
                     * @example 492039
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The account has no second factor. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDashboardSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "csrfToken": "EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE",
                     *       "expiresAt": "2027-03-14T15:09:26.535Z",
                     *       "account": {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "email": "owner@shop.example",
                     *         "isOperator": true,
                     *         "hasSecondFactor": true
                     *       },
                     *       "mode": "sandbox"
                     *     }
                     */
                    "application/json": {
                        /** @description to be sent as X-CSRF-Token with whatever changes anything */
                        csrfToken: string;
                        /** @description when the session ends, however it is used */
                        expiresAt: string;
                        account: {
                            /**
                             * Format: uuid
                             * @description an account
                             */
                            id: string;
                            email: string;
                            /** @description whether the operator pages are open to it */
                            isOperator: boolean;
                            /** @description whether a code is asked for at its logins */
                            hasSecondFactor: boolean;
                        };
                        /**
                         * @description how this server runs
                         * @enum {string}
                         */
                        mode: "sandbox" | "production";
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    openDashboardSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "owner@shop.example",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                    /**
                     * @description of the account’s second factor: what its app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "csrfToken": "EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEE",
                     *       "expiresAt": "2027-03-14T15:09:26.535Z",
                     *       "account": {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "email": "owner@shop.example",
                     *         "isOperator": true,
                     *         "hasSecondFactor": true
                     *       },
                     *       "mode": "sandbox"
                     *     }
                     */
                    "application/json": {
                        /** @description to be sent as X-CSRF-Token with whatever changes anything */
                        csrfToken: string;
                        /** @description when the session ends, however it is used */
                        expiresAt: string;
                        account: {
                            /**
                             * Format: uuid
                             * @description an account
                             */
                            id: string;
                            email: string;
                            /** @description whether the operator pages are open to it */
                            isOperator: boolean;
                            /** @description whether a code is asked for at its logins */
                            hasSecondFactor: boolean;
                        };
                        /**
                         * @description how this server runs
                         * @enum {string}
                         */
                        mode: "sandbox" | "production";
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            /** @description The code of the second factor is wrong; or: The email or the password is wrong; or: A code of the second factor is required. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    endDashboardSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    proveDashboardSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    password?: string;
                    /**
                     * @description of the account’s second factor: what its app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "proof": "1793430000000.EXAMPLE",
                     *       "expiresAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": {
                        /** @description good for this session, for five minutes */
                        proof: string;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            /** @description The code of the second factor is wrong; or: A code of the second factor is required; or: A valid credential is required. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMerchants: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "name": "Corner Shop",
                     *         "balances": [
                     *           {
                     *             "paymentMethodID": 1,
                     *             "balance": "12.50",
                     *             "symbol": "USDT"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                        balances: components["schemas"]["BalanceEntry"][];
                    }[];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createMerchant: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Corner Shop"
                 *     }
                 */
                "application/json": {
                    /** @description a name that is not only blanks, without control characters */
                    name: string;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMerchant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "name": "Corner Shop",
                     *       "settings": {
                     *         "webhookUrl": "https://shop.example/coffer-events",
                     *         "ipWhitelist": [
                     *           "203.0.113.7"
                     *         ],
                     *         "paidWhen": "included",
                     *         "tolerancePercent": "0.5"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Merchant"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateMerchant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "Corner Shop"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    id?: string;
                    /** @description a name that is not only blanks, without control characters */
                    name?: string;
                    settings?: {
                        webhookUrl?: string | null;
                        ipWhitelist?: string[];
                        paidWhen?: components["schemas"]["PaidWhen"];
                        tolerancePercent?: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteMerchant: {
        parameters: {
            query?: {
                /** @description refuse while the merchant holds money */
                ifEmpty?: boolean;
            };
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The merchant still holds money. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "accountID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "email": "owner@shop.example",
                     *         "role": "owner",
                     *         "createdAt": "2027-03-14T15:09:26.535Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Member"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "owner@shop.example",
                 *       "role": "owner"
                 *     }
                 */
                "application/json": {
                    email: string;
                    role: components["schemas"]["Role"];
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "email": "owner@shop.example",
                     *       "role": "owner",
                     *       "createdAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The account is a member already; or: The merchant has as many members as it may. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description No account has this email. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                accountID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "owner"
                 *     }
                 */
                "application/json": {
                    role: components["schemas"]["Role"];
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accountID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "email": "owner@shop.example",
                     *       "role": "owner",
                     *       "createdAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description A merchant keeps at least one owner. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                accountID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description A merchant keeps at least one owner. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "at": "2027-03-14T15:09:26.535Z",
                     *           "action": "session.started",
                     *           "subject": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "account": {
                     *             "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *             "email": "owner@shop.example"
                     *           },
                     *           "details": {}
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getIpRestriction: {
        parameters: {
            query?: {
                /** @description a list to be tried out in place of the stored one */
                "ipAddresses[]"?: string[];
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ipAddresses": [
                     *         "203.0.113.7"
                     *       ],
                     *       "yourAddress": "192.0.2.7",
                     *       "locksYouOut": true
                     *     }
                     */
                    "application/json": {
                        /** @description empty where there is no restriction */
                        ipAddresses: string[];
                        /**
                         * @description as this server sees it now
                         * @example 192.0.2.7
                         */
                        yourAddress: string;
                        /** @description whether the list, tried out or stored, would refuse the API key from your address */
                        locksYouOut: boolean;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    restrictIpAddresses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ipAddresses": [
                 *         "203.0.113.7"
                 *       ]
                 *     }
                 */
                "application/json": {
                    ipAddresses: string[];
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ipAddresses": [
                     *         "203.0.113.7"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        ipAddresses: string[];
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    liftIpRestriction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    generateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "apiKey": "ck_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE",
                     *       "key": "ck_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE",
                     *       "merchantId": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "createdAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": {
                        apiKey: string;
                        key: string;
                        /** Format: uuid */
                        merchantId: string;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        createdAt: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getKeyInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "lastUsedAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": {
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        createdAt: string;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        lastUsedAt: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "url": "https://shop.example/coffer-events",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "updatedAt": "2027-03-14T15:09:26.535Z",
                     *       "formerSecretValidUntil": "2027-03-15T15:09:26.535Z",
                     *       "state": "active",
                     *       "restUntil": "2027-03-14T16:09:26.535Z",
                     *       "failingSince": "2027-03-14T15:09:26.535Z",
                     *       "disabledAt": "2027-03-14T15:09:26.535Z",
                     *       "disabledReason": "gone"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://shop.example/coffer-events",
                 *       "secret": "a-secret-of-at-least-32-characters"
                 *     }
                 */
                "application/json": {
                    url: string;
                    secret: string;
                    /** @description Ends a former secret at once. Without it, while the host stays the same, a secret that is replaced signs beside the new one for 24 hours, in webhook-signature. */
                    revokeFormerSecret?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE"
                     *     }
                     */
                    "application/json": {
                        token: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeletedMerchants: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "name": "Corner Shop",
                     *         "deletedAt": "2027-03-14T15:09:26.535Z",
                     *         "restorableUntil": "2027-03-14T15:09:26.535Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["DeletedMerchant"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    restoreOperatorMerchant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "name": "Corner Shop"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        name: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The merchant can no longer be restored. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPaymentMethods: {
        parameters: {
            query?: {
                /** @description those as well that are not enabled here, each with why */
                include?: "unavailable";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "paymentMethodID": 1,
                     *         "symbol": "USDT",
                     *         "name": "Corner Shop",
                     *         "network": "ethereum",
                     *         "decimals": 6,
                     *         "confirmations": 2,
                     *         "contract": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *         "minimum": "12.50",
                     *         "unavailable": "Its operator follows no dogecoin chain. To the operator: set UTXO_RPC_DOGECOIN to its nodes."
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PaymentMethod"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFunds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "paymentMethodID": 1,
                     *         "balance": "12.50",
                     *         "symbol": "USDT"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["BalanceEntry"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "minCollect": "1",
                     *       "minWithdraw": "1",
                     *       "currency": "USD",
                     *       "methods": [
                     *         {
                     *           "paymentMethodID": 3,
                     *           "symbol": "ETH",
                     *           "minCollect": "0.0004",
                     *           "minWithdraw": "0.0004"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Limits"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getFees: {
        parameters: {
            query: {
                /** @example onetime */
                type: components["schemas"]["FeeType"];
                /**
                 * @description the number of a payment method
                 * @example 1
                 */
                paymentMethodID?: number;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "onetime",
                     *       "paymentMethodID": 1,
                     *       "percent": "1",
                     *       "flat": "0.1",
                     *       "currency": "USDT"
                     *     }
                     */
                    "application/json": components["schemas"]["FeeRate"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The request took the database too long; or: No fresh exchange rate is available; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFeeAmount: {
        parameters: {
            query: {
                /** @example onetime */
                type: components["schemas"]["FeeType"];
                /**
                 * @description the number of a payment method
                 * @example 1
                 */
                paymentMethodID?: number;
                /**
                 * @description a decimal string such as "0.025", with at most 12 digits before the point and the places of its asset
                 * @example 100
                 */
                amount: string;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "onetime",
                     *       "amount": "100",
                     *       "fee": "1.1",
                     *       "net": "98.9",
                     *       "currency": "USDT"
                     *     }
                     */
                    "application/json": components["schemas"]["FeeAmount"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The request took the database too long; or: No fresh exchange rate is available; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listOperatorFees: {
        parameters: {
            query?: {
                merchantID?: string;
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "type": "onetime",
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "merchantName": "Corner Shop",
                     *           "paymentMethodID": 1,
                     *           "percent": "1.5",
                     *           "flat": "0.5",
                     *           "currency": "USD"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["FeeSchedule"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateOperatorFees: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "onetime",
                 *       "percent": "1.5",
                 *       "flat": "0.50",
                 *       "currency": "USD"
                 *     }
                 */
                "application/json": {
                    type: components["schemas"]["FeeType"];
                    /** Format: uuid */
                    merchantID?: string;
                    /** @description the number of a payment method */
                    paymentMethodID?: number;
                    /**
                     * @description "1.5" is 1.5 %
                     * @example 1.5
                     */
                    percent: string;
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and the places of its asset */
                    flat?: string;
                    /** @description of `flat`: USD, or the symbol of the method that is named */
                    currency?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "onetime",
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantName": "Corner Shop",
                     *       "paymentMethodID": 1,
                     *       "percent": "1.5",
                     *       "flat": "0.5",
                     *       "currency": "USD"
                     *     }
                     */
                    "application/json": components["schemas"]["FeeSchedule"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteOperatorFees: {
        parameters: {
            query: {
                /** @example onetime */
                type: components["schemas"]["FeeType"];
                merchantID?: string;
                /** @description the number of a payment method */
                paymentMethodID?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOperatorLimits: {
        parameters: {
            query?: {
                merchantID?: string;
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "merchantName": "Corner Shop",
                     *           "paymentMethodID": 1,
                     *           "minCollect": "12.50",
                     *           "minWithdraw": "12.50",
                     *           "currency": "USD"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["LimitOverride"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateOperatorLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "minCollect": "5",
                 *       "minWithdraw": "10"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    merchantID?: string;
                    /** @description the number of a payment method */
                    paymentMethodID?: number;
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and the places of its asset */
                    minCollect?: string;
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and the places of its asset */
                    minWithdraw?: string;
                };
            };
        };
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteOperatorLimits: {
        parameters: {
            query?: {
                merchantID?: string;
                /** @description the number of a payment method */
                paymentMethodID?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listInvoices: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
                order?: "asc" | "desc";
                orderBy?: "createdAt" | "amount";
                "types[]"?: components["schemas"]["InvoiceType"][];
                "states[]"?: components["schemas"]["InvoiceState"][];
                "tokens[]"?: string[];
                /** @description a decimal string such as "12.50", with at most 12 digits before and 8 after the point */
                amountFrom?: string;
                /** @description a decimal string such as "12.50", with at most 12 digits before and 8 after the point */
                amountTo?: string;
                dateFrom?: string;
                dateTo?: string;
                "collectStates[]"?: components["schemas"]["CollectState"][];
                showArchived?: boolean;
                amlOk?: boolean;
                /** @description words, of which each is in the description or the reference, in any order and as a part of a word too; at most 20 */
                search?: string;
                /** @description whether each also has `description`, `reference` and `exceptions` */
                showDetails?: boolean;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "amount": "12.50",
                     *           "type": "onetime",
                     *           "state": "pending",
                     *           "createdAt": "2027-03-14T15:09:26.535Z",
                     *           "paymentMethodID": 1,
                     *           "amlOk": true,
                     *           "description": "Order 1042",
                     *           "reference": "order-1042",
                     *           "exceptions": [
                     *             "underpaid"
                     *           ]
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Invoice"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createInvoice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "12.50",
                 *       "type": "onetime",
                 *       "paymentMethodID": 1
                 *     }
                 */
                "application/json": {
                    /** @description a decimal string such as "12.50", with at most 12 digits before and 8 after the point */
                    amount: string;
                    type: components["schemas"]["InvoiceType"];
                    /** @description the number of a payment method */
                    paymentMethodID: number;
                    description?: string;
                    reference?: string;
                    paymentMethodIDs?: number[];
                    expiresInMinutes?: number;
                    redirectURL?: string;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "checkoutURL": "https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "claimURL": "https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#claim=EXAMPLE"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                        /**
                         * @description the page on which it is paid; of a withdraw invoice it takes the token of `claimURL` to be paid out
                         * @example https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70
                         */
                        checkoutURL: string;
                        /**
                         * @description of a withdraw invoice: whoever opens it names the address to be paid at
                         * @example https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#claim=EXAMPLE
                         */
                        claimURL?: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: Another invoice carries this reference. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The amount is below the minimum. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportInvoices: {
        parameters: {
            query?: {
                "types[]"?: components["schemas"]["InvoiceType"][];
                "states[]"?: components["schemas"]["InvoiceState"][];
                "tokens[]"?: string[];
                /** @description a decimal string such as "12.50", with at most 12 digits before and 8 after the point */
                amountFrom?: string;
                /** @description a decimal string such as "12.50", with at most 12 digits before and 8 after the point */
                amountTo?: string;
                dateFrom?: string;
                dateTo?: string;
                "collectStates[]"?: components["schemas"]["CollectState"][];
                showArchived?: boolean;
                amlOk?: boolean;
                /** @description words, of which each is in the description or the reference, in any order and as a part of a word too; at most 20 */
                search?: string;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "amount": "12.50",
                     *       "type": "onetime",
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "paymentMethodID": 1,
                     *       "amlOk": true,
                     *       "description": "Order 1042",
                     *       "reference": "order-1042",
                     *       "exceptions": [
                     *         "underpaid"
                     *       ],
                     *       "amountPaid": "12.50",
                     *       "collectState": "collecting",
                     *       "redirectURL": "https://shop.example/thanks",
                     *       "paymentMethodIDs": [
                     *         1
                     *       ],
                     *       "expiresAt": "2027-03-14T15:09:26.535Z",
                     *       "paidAt": "2027-03-14T15:09:26.535Z",
                     *       "closedAt": "2027-03-14T15:09:26.535Z",
                     *       "archived": true,
                     *       "checkoutURL": "https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "addresses": [
                     *         {
                     *           "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *           "amount": "12.50",
                     *           "expiresAt": "2027-03-14T15:09:26.535Z",
                     *           "paymentMethodID": 1,
                     *           "symbol": "USDT",
                     *           "uri": "ethereum:0x70997970C51812dc3A010C7d01b50e0d17dc79C8@31337?value=2500000000000000"
                     *         }
                     *       ],
                     *       "transactions": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "amount": "12.50",
                     *           "currency": "USDT",
                     *           "paymentMethodID": 1,
                     *           "state": "pending",
                     *           "createdAt": "2027-03-14T15:09:26.535Z",
                     *           "confirmedAt": "2027-03-14T15:09:26.535Z",
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"
                     *         }
                     *       ],
                     *       "transactionsTotal": 1
                     *     }
                     */
                    "application/json": components["schemas"]["InvoiceRecord"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    archiveInvoice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteInvoice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: A payment is on its way. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    closeInvoice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "amount": "12.50",
                     *       "type": "onetime",
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "paymentMethodID": 1,
                     *       "amlOk": true,
                     *       "description": "Order 1042",
                     *       "reference": "order-1042",
                     *       "exceptions": [
                     *         "underpaid"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The invoice cannot be closed. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    acceptInvoice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "amount": "12.50",
                     *       "type": "onetime",
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "paymentMethodID": 1,
                     *       "amlOk": true,
                     *       "description": "Order 1042",
                     *       "reference": "order-1042",
                     *       "exceptions": [
                     *         "underpaid"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: There is no payment to accept. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPaymentAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
                /** @example 1 */
                methodID: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "amount": "12.50",
                     *       "expiresAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentAddress"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            /** @description The invoice does not offer this payment method; or: Nothing is here. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The invoice can no longer be paid. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            414: components["responses"]["UriTooLong"];
            /** @description The amount is below the minimum. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The request took the database too long; or: No fresh exchange rate is available; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPaymentAddresses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *         "amount": "12.50",
                     *         "expiresAt": "2027-03-14T15:09:26.535Z",
                     *         "paymentMethodID": 1,
                     *         "symbol": "USDT",
                     *         "uri": "ethereum:0x70997970C51812dc3A010C7d01b50e0d17dc79C8@31337?value=2500000000000000"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MethodAddress"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description The invoice can no longer be paid. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            414: components["responses"]["UriTooLong"];
            /** @description The amount is below the minimum. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The request took the database too long; or: No fresh exchange rate is available; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    showClaimLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "claimURL": "https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#claim=EXAMPLE"
                     *     }
                     */
                    "application/json": {
                        /** @example https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#claim=EXAMPLE */
                        claimURL: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The invoice can no longer be paid. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
                order?: "asc" | "desc";
                orderBy?: "createdAt" | "amount" | "confirmedAt";
                /** @description whether each also has `paymentMethodID` and `currency` */
                showCurrency?: boolean;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "states": [
                 *         "confirmed"
                 *       ]
                 *     }
                 */
                "application/json": {
                    states?: components["schemas"]["TransactionState"][];
                    dateFrom?: string;
                    dateTo?: string;
                    tokens?: number[];
                    invoiceIDs?: string[];
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "amount": "12.50",
                     *           "state": "pending",
                     *           "createdAt": "2027-03-14T15:09:26.535Z",
                     *           "confirmedAt": "2027-03-14T15:09:26.535Z",
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "paymentMethodID": 1,
                     *           "currency": "USDT"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Transaction"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                transactionID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "amount": "12.50",
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "confirmedAt": "2027-03-14T15:09:26.535Z",
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "paymentMethodID": 1,
                     *       "currency": "USDT",
                     *       "amlOk": true,
                     *       "seenIn": "block",
                     *       "replacedBy": "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
                     *     }
                     */
                    "application/json": components["schemas"]["SingleTransaction"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listOperatorQuarantine: {
        parameters: {
            query?: {
                merchantID?: string;
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "transactionID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "merchantName": "Corner Shop",
                     *           "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "amount": "12.50",
                     *           "currency": "USDT",
                     *           "paymentMethodID": 1,
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *           "listedAddress": "0x8576acc5c05d6ce88f4e49bf65bdf0c62f91353c",
                     *           "reason": "listed",
                     *           "quarantine": "held",
                     *           "heldSince": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Quarantine"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    releaseOperatorQuarantine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                transactionID: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transactionID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantName": "Corner Shop",
                     *       "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "amount": "12.50",
                     *       "currency": "USDT",
                     *       "paymentMethodID": 1,
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "listedAddress": "0x8576acc5c05d6ce88f4e49bf65bdf0c62f91353c",
                     *       "reason": "listed",
                     *       "quarantine": "held",
                     *       "heldSince": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Quarantine"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The quarantine has ended otherwise. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    seizeOperatorQuarantine: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                transactionID: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "transactionID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantName": "Corner Shop",
                     *       "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "amount": "12.50",
                     *       "currency": "USDT",
                     *       "paymentMethodID": 1,
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "listedAddress": "0x8576acc5c05d6ce88f4e49bf65bdf0c62f91353c",
                     *       "reason": "listed",
                     *       "quarantine": "held",
                     *       "heldSince": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Quarantine"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The quarantine has ended otherwise. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getOverview: {
        parameters: {
            query?: {
                /** @description a day of UTC, YYYY-MM-DD */
                dateFrom?: string;
                /** @description a day of UTC, YYYY-MM-DD */
                dateTo?: string;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dateFrom": "2026-11-22",
                     *       "dateTo": "2026-11-22",
                     *       "volumeUsd": "1250.00",
                     *       "payments": 0,
                     *       "unpricedPayments": 1,
                     *       "conversion": {
                     *         "created": 0,
                     *         "paid": 0,
                     *         "expired": 0,
                     *         "pending": 0,
                     *         "percent": "61.4"
                     *       },
                     *       "before": {
                     *         "dateFrom": "2026-11-22",
                     *         "dateTo": "2026-11-22",
                     *         "volumeUsd": "1250.00",
                     *         "payments": 0,
                     *         "volumeChangePercent": "12.5",
                     *         "paymentsChangePercent": "-4.0",
                     *         "conversionPercent": "58.0"
                     *       },
                     *       "days": [
                     *         {
                     *           "day": "2026-11-22",
                     *           "volumeUsd": "1250.00",
                     *           "payments": 0,
                     *           "invoicesCreated": 0,
                     *           "invoicesPaid": 1
                     *         }
                     *       ],
                     *       "methods": [
                     *         {
                     *           "paymentMethodID": 1,
                     *           "symbol": "USDT",
                     *           "network": "ethereum",
                     *           "amount": "12.50",
                     *           "volumeUsd": "1250.00",
                     *           "volumePercent": "72.5",
                     *           "payments": 0
                     *         }
                     *       ],
                     *       "balances": {
                     *         "totalUsd": "1250.00",
                     *         "entries": [
                     *           {
                     *             "paymentMethodID": 1,
                     *             "symbol": "USDT",
                     *             "balance": "12.50",
                     *             "usd": "1250.00"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInvoiceTimeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "at": "2027-03-14T15:09:26.535Z",
                     *           "step": "invoice.created",
                     *           "paymentMethodID": 1,
                     *           "currency": "USDT",
                     *           "amount": "12.50",
                     *           "net": "12.50",
                     *           "fee": "0.22",
                     *           "until": "2027-03-14T15:09:26.535Z",
                     *           "transactionID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "blockHeight": 1,
                     *           "eventType": "invoice.paid",
                     *           "deliveryID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "attempts": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["TimelineEntry"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getTrace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b */
                txHash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "network": "ethereum",
                     *       "steps": [
                     *         {
                     *           "step": "node",
                     *           "ok": true,
                     *           "detail": "It was mined in block 1042.",
                     *           "at": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "verdict": {
                     *         "code": "node-silent",
                     *         "detail": "The payment of 10 USDT has 1 of 2 confirmations."
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Trace"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
                "states[]"?: components["schemas"]["DeliveryState"][];
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "eventID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "type": "invoice.paid",
                     *           "sequence": 1,
                     *           "state": "pending",
                     *           "attempts": 1,
                     *           "createdAt": "2027-03-14T15:09:26.535Z",
                     *           "nextAttemptAt": "2027-03-14T15:09:26.535Z",
                     *           "endedAt": "2027-03-14T15:09:26.535Z",
                     *           "lastStatus": 1,
                     *           "lastError": "timeout"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                deliveryID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "eventID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "type": "invoice.paid",
                     *       "sequence": 1,
                     *       "state": "pending",
                     *       "attempts": 1,
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "nextAttemptAt": "2027-03-14T15:09:26.535Z",
                     *       "endedAt": "2027-03-14T15:09:26.535Z",
                     *       "lastStatus": 1,
                     *       "lastError": "timeout",
                     *       "body": "{\"id\":\"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70\",\"type\":\"webhook.test\"}",
                     *       "attemptLog": [
                     *         {
                     *           "number": 1,
                     *           "startedAt": "2027-03-14T15:09:26.535Z",
                     *           "tookMs": 1,
                     *           "status": 1,
                     *           "error": "timeout",
                     *           "excerpt": "ok"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryRecord"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliverWebhookDelivery: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                deliveryID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was taken in and will be done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        id: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The webhook is switched off. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayEvents: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": 1041
                 *     }
                 */
                "application/json": {
                    /**
                     * @description events behind this sequence are sent again; 0 for all
                     * @example 1041
                     */
                    after: number;
                    /** @description the last to be sent, greater than "after"; the newest there is when absent */
                    toSequence?: number;
                };
            };
        };
        responses: {
            /** @description It was taken in and will be done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 1,
                     *       "next": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The webhook is switched off. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was taken in and will be done. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "testID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        testID: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The webhook is switched off. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description the `next` of the page before, or the sequence of the last event you have; 0 to begin */
                after?: number;
                limit?: number;
                /** @description only events of these types */
                "types[]"?: components["schemas"]["EventType"][];
                /** @description how many seconds to wait where there is nothing to read yet; the answer comes with the first event */
                waitS?: number;
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "type": "invoice.paid",
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "timestamp": "2027-03-14T15:09:26.535Z",
                     *           "sequence": 7,
                     *           "data": {
                     *             "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *             "type": "onetime",
                     *             "reference": "order-1042",
                     *             "amount": "25",
                     *             "currency": "USDT",
                     *             "paidAt": "2027-03-14T15:09:26.535Z",
                     *             "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *             "amlOk": false
                     *           }
                     *         }
                     *       ],
                     *       "next": 1,
                     *       "last": 1,
                     *       "incarnation": 1,
                     *       "readAgainAfter": 1
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        /** @description what to send as "after" next time */
                        next: number;
                        /** @description the sequence of the newest event there is; 0 without any */
                        last: number;
                        /** @description rises each time the server's history begins anew, after a restore or where another database server took over */
                        incarnation: number;
                        /** @description only where `after` is the number of an event that the server lost: the last one before it that it still has */
                        readAgainAfter?: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWithdrawals: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
                order?: "asc" | "desc";
                orderBy?: "createdAt" | "amount";
                "states[]"?: components["schemas"]["WithdrawalState"][];
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *           "amount": "12.50",
                     *           "paymentMethodID": 1,
                     *           "state": "pending",
                     *           "createdAt": "2027-03-14T15:09:26.535Z",
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "stage": "queued",
                     *           "waitsFor": "debt",
                     *           "reason": "merchant",
                     *           "explanation": "the recipient could not be confirmed",
                     *           "fee": "12.50",
                     *           "net": "12.50",
                     *           "networkCost": "12.50",
                     *           "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Withdrawal"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *       "amount": "12.50",
                 *       "paymentMethodID": 1
                 *     }
                 */
                "application/json": {
                    address: string;
                    /** @description a decimal string such as "12.50", with at most 12 digits before and 8 after the point */
                    amount: string;
                    /** @description the number of a payment method */
                    paymentMethodID: number;
                    /** @description true: the whole address was compared, although it looks like one that was paid before */
                    confirmLookalike?: boolean;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "amount": "12.50",
                     *       "paymentMethodID": 1,
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "stage": "queued",
                     *       "waitsFor": "debt",
                     *       "reason": "merchant",
                     *       "explanation": "the recipient could not be confirmed",
                     *       "fee": "12.50",
                     *       "net": "12.50",
                     *       "networkCost": "12.50",
                     *       "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *     }
                     */
                    "application/json": components["schemas"]["Withdrawal"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: Payouts of this merchant are frozen; or: Too many withdrawals are pending. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The amount is below the minimum; or: The fee leaves nothing to send; or: The balance is too small; or: Money cannot be sent to this address; or: The address is on a sanctions list; or: The address looks like another that was paid before. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    previewWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                 *       "amount": "12.50",
                 *       "paymentMethodID": 1
                 *     }
                 */
                "application/json": {
                    address: string;
                    amount: string;
                    /** @description the number of a payment method */
                    paymentMethodID: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "fee": "12.50",
                     *       "net": "12.50",
                     *       "available": "12.50",
                     *       "currency": "USDT",
                     *       "lookalike": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "errors": [
                     *         {
                     *           "pointer": "#/amount",
                     *           "detail": "M1: the entries of a journal do not add up"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WithdrawalPreview"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPendingWithdrawals: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *         "amount": "12.50",
                     *         "paymentMethodID": 1,
                     *         "state": "pending",
                     *         "createdAt": "2027-03-14T15:09:26.535Z",
                     *         "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *         "stage": "queued",
                     *         "waitsFor": "debt",
                     *         "reason": "merchant",
                     *         "explanation": "the recipient could not be confirmed",
                     *         "fee": "12.50",
                     *         "net": "12.50",
                     *         "networkCost": "12.50",
                     *         "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Withdrawal"][];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                withdrawalID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "amount": "12.50",
                     *       "paymentMethodID": 1,
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "stage": "queued",
                     *       "waitsFor": "debt",
                     *       "reason": "merchant",
                     *       "explanation": "the recipient could not be confirmed",
                     *       "fee": "12.50",
                     *       "net": "12.50",
                     *       "networkCost": "12.50",
                     *       "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *     }
                     */
                    "application/json": components["schemas"]["Withdrawal"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                withdrawalID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The withdrawal can no longer be cancelled. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "merchantName": "Corner Shop",
                     *           "symbol": "USDT",
                     *           "worthUSD": "25.00",
                     *           "isReleased": true,
                     *           "withdrawal": {
                     *             "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *             "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *             "amount": "12.50",
                     *             "paymentMethodID": 1,
                     *             "state": "pending",
                     *             "createdAt": "2027-03-14T15:09:26.535Z",
                     *             "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *             "stage": "queued",
                     *             "waitsFor": "debt",
                     *             "reason": "merchant",
                     *             "explanation": "the recipient could not be confirmed",
                     *             "fee": "12.50",
                     *             "net": "12.50",
                     *             "networkCost": "12.50",
                     *             "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *           }
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["WithdrawalApproval"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    approveWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                withdrawalID: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantName": "Corner Shop",
                     *       "symbol": "USDT",
                     *       "worthUSD": "25.00",
                     *       "isReleased": true,
                     *       "withdrawal": {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *         "amount": "12.50",
                     *         "paymentMethodID": 1,
                     *         "state": "pending",
                     *         "createdAt": "2027-03-14T15:09:26.535Z",
                     *         "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *         "stage": "queued",
                     *         "waitsFor": "debt",
                     *         "reason": "merchant",
                     *         "explanation": "the recipient could not be confirmed",
                     *         "fee": "12.50",
                     *         "net": "12.50",
                     *         "networkCost": "12.50",
                     *         "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WithdrawalApproval"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The withdrawal has ended. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    rejectWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                withdrawalID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "the recipient could not be confirmed"
                 *     }
                 */
                "application/json": {
                    /** @description the merchant is told */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantName": "Corner Shop",
                     *       "symbol": "USDT",
                     *       "worthUSD": "25.00",
                     *       "isReleased": true,
                     *       "withdrawal": {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *         "amount": "12.50",
                     *         "paymentMethodID": 1,
                     *         "state": "pending",
                     *         "createdAt": "2027-03-14T15:09:26.535Z",
                     *         "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *         "stage": "queued",
                     *         "waitsFor": "debt",
                     *         "reason": "merchant",
                     *         "explanation": "the recipient could not be confirmed",
                     *         "fee": "12.50",
                     *         "net": "12.50",
                     *         "networkCost": "12.50",
                     *         "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WithdrawalApproval"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The withdrawal has ended; or: The withdrawal can no longer be cancelled. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listCollections: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
                order?: "asc" | "desc";
                orderBy?: "createdAt" | "amount";
                "states[]"?: components["schemas"]["CollectionState"][];
            };
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "paymentMethodID": 1,
                     *           "amount": "12.50",
                     *           "transactions": 1,
                     *           "state": "planned",
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "createdAt": "2027-03-14T15:09:26.535Z",
                     *           "completedAt": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Collection"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getInvoicePayout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal": {
                     *         "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *         "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *         "amount": "12.50",
                     *         "paymentMethodID": 1,
                     *         "state": "pending",
                     *         "createdAt": "2027-03-14T15:09:26.535Z",
                     *         "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *         "stage": "queued",
                     *         "waitsFor": "debt",
                     *         "reason": "merchant",
                     *         "explanation": "the recipient could not be confirmed",
                     *         "fee": "12.50",
                     *         "net": "12.50",
                     *         "networkCost": "12.50",
                     *         "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                     *       }
                     *     }
                     */
                    "application/json": {
                        /** @description null while nobody has claimed it, after a payout that failed, which leaves it open, and for other invoices */
                        withdrawal: components["schemas"]["Withdrawal"] | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    claimInvoice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE",
                 *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
                 *     }
                 */
                "application/json": {
                    token: string;
                    address: string;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "amount": "12.50",
                     *       "paymentMethodID": 1,
                     *       "symbol": "USDT",
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"
                     *     }
                     */
                    "application/json": components["schemas"]["Claim"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The invoice can no longer be paid. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The amount is below the minimum; or: The fee leaves nothing to send; or: The balance is too small; or: Money cannot be sent to this address; or: The address is on a sanctions list. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The request took the database too long; or: No fresh exchange rate is available; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTreasury: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "assets": [
                     *         {
                     *           "paymentMethodID": 1,
                     *           "symbol": "USDT",
                     *           "network": "ethereum",
                     *           "custody": "12.50",
                     *           "hotWallet": "12.50",
                     *           "lanes": [
                     *             {
                     *               "lane": 1,
                     *               "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *               "balance": "12.50",
                     *               "height": 1,
                     *               "at": "2027-03-14T15:09:26.535Z"
                     *             }
                     *           ],
                     *           "depositAddresses": "12.50",
                     *           "pendingDeposits": "12.50",
                     *           "leaving": "12.50",
                     *           "liabilities": {
                     *             "total": "12.50",
                     *             "available": "12.50",
                     *             "held": "12.50",
                     *             "quarantine": "12.50",
                     *             "belowMinimum": "12.50",
                     *             "unattributed": "12.50"
                     *           },
                     *           "own": {
                     *             "free": "12.50",
                     *             "capital": "12.50",
                     *             "fees": "12.50",
                     *             "networkFees": "12.50",
                     *             "forfeited": "12.50",
                     *             "takeable": {
                     *               "capital": "12.50",
                     *               "fees": "12.50",
                     *               "forfeited": "12.50"
                     *             }
                     *           },
                     *           "owedByMerchants": "12.50",
                     *           "queue": {
                     *             "withdrawals": 1,
                     *             "amount": "12.50",
                     *             "oldestSeconds": 1,
                     *             "shortfall": "12.50"
                     *           },
                     *           "coldAddress": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                     *           "isSolvent": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        assets: components["schemas"]["AssetFigures"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listUnattributed: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "paymentMethodID": 1,
                     *           "symbol": "USDT",
                     *           "network": "ethereum",
                     *           "amount": "12.50",
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *           "recipient": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
                     *           "state": "pending",
                     *           "amlOk": true,
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "merchantName": "Corner Shop",
                     *           "createdAt": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["UnattributedTransaction"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    assignUnattributed: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                transactionID: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "owner": "merchant",
                 *       "merchantID": "0197a1f1-1111-7111-8111-111111111111"
                 *     }
                 */
                "application/json": {
                    owner: components["schemas"]["UnattributedOwner"];
                    /** Format: uuid */
                    merchantID?: string;
                    /** @description for the audit log; needed where the sender did not pass screening */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "paymentMethodID": 1,
                     *       "symbol": "USDT",
                     *       "network": "ethereum",
                     *       "amount": "12.50",
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "recipient": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
                     *       "state": "pending",
                     *       "amlOk": true,
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "merchantName": "Corner Shop",
                     *       "createdAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UnattributedTransaction"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description It was said whose this money is; or: The Idempotency-Key was used for another request; or: The first request with this key still runs. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listTakeOuts: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "paymentMethodID": 1,
                     *           "symbol": "USDT",
                     *           "source": "capital",
                     *           "amount": "12.50",
                     *           "state": "pending",
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "createdAt": "2027-03-14T15:09:26.535Z",
                     *           "endedAt": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["TakeOut"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    orderTakeOut: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "paymentMethodID": 1,
                 *       "source": "fees",
                 *       "amount": "250"
                 *     }
                 */
                "application/json": {
                    /** @description the number of a payment method */
                    paymentMethodID: number;
                    source: components["schemas"]["TakeOutSource"];
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and the places of its asset */
                    amount: string;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "paymentMethodID": 1,
                     *       "symbol": "USDT",
                     *       "source": "capital",
                     *       "amount": "12.50",
                     *       "state": "pending",
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "endedAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["TakeOut"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description No cold address is set; or: The Idempotency-Key was used for another request; or: The first request with this key still runs. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The balance is too small. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDebts: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "merchantName": "Corner Shop",
                     *           "paymentMethodID": 1,
                     *           "symbol": "USDT",
                     *           "network": "ethereum",
                     *           "amount": "12.50",
                     *           "since": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "page": 1,
                     *       "limit": 20
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Debt"][];
                        total: number;
                        page: number;
                        limit: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    writeOffDebt: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, new for each thing you want done. The same request with the same key is done once and answered alike for seven days; another request with it is refused.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "merchantID": "0197a1f1-1111-7111-8111-111111111111",
                 *       "paymentMethodID": 1,
                 *       "amount": "12.50"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    merchantID: string;
                    /** @description the number of a payment method */
                    paymentMethodID: number;
                    /** @description what it was shown to owe; refused where it owes more by now. Less is borne where it owes less */
                    amount: string;
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "paymentMethodID": 1,
                     *       "symbol": "USDT",
                     *       "amount": "12.50"
                     *     }
                     */
                    "application/json": {
                        /** Format: uuid */
                        merchantID: string;
                        paymentMethodID: number;
                        symbol: string;
                        /** @description a decimal string */
                        amount: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Who asks must show again who they are. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key still runs; or: The merchant owes nothing; or: The merchant owes more by now. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The balance is too small. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhookBacklog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "pending": 1,
                     *       "due": 1,
                     *       "oldestDueSeconds": 1,
                     *       "merchants": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "name": "Corner Shop",
                     *           "pending": 0,
                     *           "failingSince": "2027-03-14T15:09:26.535Z",
                     *           "disabledAt": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookBacklog"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPayoutState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "halts": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "cause": "tampering",
                     *           "detail": "M1: the entries of a journal do not add up",
                     *           "since": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "waits": [
                     *         {
                     *           "network": "ethereum",
                     *           "cause": "books",
                     *           "detail": "M1: the entries of a journal do not add up",
                     *           "since": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "refused": [
                     *         {
                     *           "id": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "network": "ethereum",
                     *           "kind": "withdrawal",
                     *           "code": "not-found",
                     *           "detail": "M1: the entries of a journal do not add up",
                     *           "refusedAt": "2027-03-14T15:09:26.535Z",
                     *           "retryAt": "2027-03-14T15:09:26.535Z"
                     *         }
                     *       ],
                     *       "refusedTotal": 0,
                     *       "open": [
                     *         {
                     *           "network": "ethereum",
                     *           "state": "planned",
                     *           "count": 1,
                     *           "oldestSeconds": 1
                     *         }
                     *       ],
                     *       "booksCheckedSecondsAgo": 1,
                     *       "isBooksCheckOverdue": true
                     *     }
                     */
                    "application/json": components["schemas"]["PayoutState"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    payInSandbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70"
                 *     }
                 */
                "application/json": {
                    /** Format: uuid */
                    invoiceID: string;
                    /** @description the number of a payment method */
                    paymentMethodID?: number;
                    /**
                     * @description exact unless told otherwise; short: 60 percent of what is due; over: 130
                     * @enum {string}
                     */
                    how?: "exact" | "short" | "over";
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "amount": "12.50",
                     *       "currency": "USDT"
                     *     }
                     */
                    "application/json": {
                        /** @description the transaction on chain */
                        txHash: string;
                        /**
                         * @description a decimal string: what was sent
                         * @example 12.50
                         */
                        amount: string;
                        /** @description the symbol of the asset */
                        currency: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            /** @description The invoice does not offer this payment method; or: Nothing is here. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description The invoice can no longer be paid. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The amount is below the minimum. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The server is not ready; or: The request took the database too long; or: No fresh exchange rate is available; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    payInvoiceInSandbox: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                merchantID: string;
                /** @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70 */
                invoiceID: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description the number of a payment method */
                    paymentMethodID?: number;
                    /**
                     * @description exact unless told otherwise; short: 60 percent of what is due; over: 130
                     * @enum {string}
                     */
                    how?: "exact" | "short" | "over";
                };
            };
        };
        responses: {
            /** @description It was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "amount": "12.50",
                     *       "currency": "USDT"
                     *     }
                     */
                    "application/json": {
                        /** @description the transaction on chain */
                        txHash: string;
                        /**
                         * @description a decimal string: what was sent
                         * @example 12.50
                         */
                        amount: string;
                        /** @description the symbol of the asset */
                        currency: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            /** @description The invoice does not offer this payment method; or: Nothing is here. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            /** @description The invoice can no longer be paid. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description The amount is below the minimum. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The server is not ready; or: The request took the database too long; or: No fresh exchange rate is available; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mineInSandbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "blocks": 1
                 *     }
                 */
                "application/json": {
                    blocks: number;
                };
            };
        };
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The server is not ready; or: The request took the database too long; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reorganiseSandbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "depth": 1
                 *     }
                 */
                "application/json": {
                    depth: number;
                };
            };
        };
        responses: {
            /** @description It is done; there is no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            /** @description The database does not answer; or: The server is not ready; or: The request took the database too long; or: The server is at its limit. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nodes": [
                     *         {
                     *           "network": "ethereum",
                     *           "ready": true,
                     *           "obstacle": "no block was booked for 40 s",
                     *           "height": 1,
                     *           "headHeight": 1,
                     *           "lagBlocks": 1,
                     *           "heardSecondsAgo": 1,
                     *           "blockSecondsAgo": 1,
                     *           "failure": {
                     *             "height": 1,
                     *             "message": "no node answers",
                     *             "failingSeconds": 1
                     *           },
                     *           "depositsPaused": {
                     *             "depth": 1,
                     *             "since": "2027-03-14T15:09:26.535Z",
                     *             "untilHeight": 1
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        nodes: components["schemas"]["ChainState"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            403: components["responses"]["Forbidden"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getContract: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            414: components["responses"]["UriTooLong"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    receiveEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description HMAC-SHA256 of the raw body, as hex.
                 * @example 0000000000000000000000000000000000000000000000000000000000000000
                 */
                "X-Service-Signature": string;
                /**
                 * @description HMAC-SHA256 of the raw body, as hex.
                 * @example 0000000000000000000000000000000000000000000000000000000000000000
                 */
                "X-Coffer-Signature": string;
                /**
                 * @description The token that POST /weebhook/{merchantID} answered: which version of the configuration this was sent under.
                 * @example wh_00000000000000000000000000000000
                 */
                "X-Service-Webhook-Token": string;
                /**
                 * @description The id of the event (Standard Webhooks).
                 * @example 0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70
                 */
                "webhook-id": string;
                /**
                 * @description When it was sent, in seconds since 1970.
                 * @example 1805036966
                 */
                "webhook-timestamp": string;
                /**
                 * @description The signature of Standard Webhooks; for 24 hours after the secret was changed two, separated by a space, of the new and of the former one.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description The event was taken; any 2xx counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The webhook is no longer wanted; it is switched off. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
