// Written from contract/openapi.json by "npm run contract"; not to be edited.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the process is alive */
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
        /** List all problems, as a page */
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
        /** Explain a problem, as a page */
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
        /** Check whether a payment made now would be detected, on at least one network */
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
        /** Register an account */
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
        /** Log out: end the session of the token */
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
        /** Change the password; revokes all other logins and API access tokens */
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
        /** List the valid API access tokens */
        get: operations["listTokens"];
        put?: never;
        /** Create an API access token */
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
        /** Revoke an API access token */
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
        /** List the logins of the account, newest first */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** Revoke all logins except the one of this request; API access tokens stay valid */
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
        /** Revoke a login */
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
        /** Show whether two-factor authentication is enabled */
        get: operations["getSecondFactor"];
        put?: never;
        /** Set up two-factor authentication: get a secret, to be confirmed with a code */
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
        /** Enable two-factor authentication and get recovery codes; revokes all other logins and API access tokens */
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
        /** Get new recovery codes, which replace all previous ones */
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
        /** Disable two-factor authentication */
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
        /** Get the logged-in account and the CSRF token of the session */
        get: operations["getDashboardSession"];
        put?: never;
        /**
         * Log a browser in to the dashboard
         * @description Sets the cookie `coffer_session` (`__Host-coffer_session` over TLS), which a browser then sends instead of a Bearer token. With this cookie, each request that changes something also needs `X-CSRF-Token` and must come from a page of this server. Programs use `POST /auth/login`.
         */
        post: operations["openDashboardSession"];
        /** Log out: end the session and remove its cookie */
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
         * Re-authenticate in a browser session, for requests that send money
         * @description A request that sends money, or lets somebody send it, is rejected with `proof-required` if only a session cookie authenticates it. Repeat it with the `proof` from this response as `X-Session-Proof`. Tokens and API keys need no proof.
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
        /** List the merchants that the caller has access to, with balances */
        get: operations["listMerchants"];
        put?: never;
        /** Create a merchant; the caller becomes its owner */
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
        /** Get a merchant with its settings */
        get: operations["getMerchant"];
        /** Change the name or, with a Bearer token, the settings */
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
        /** List the members of the merchant and their roles */
        get: operations["listMembers"];
        put?: never;
        /** Add an account as a member */
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
        /** Remove a member, or leave */
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
        /** List the audit log of the merchant’s money, keys, members and settings, newest first */
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
        /** Show the IP restriction of the API key and the address of the client */
        get: operations["getIpRestriction"];
        /** Restrict the API key to these addresses and CIDR ranges */
        put: operations["restrictIpAddresses"];
        post?: never;
        /** Remove the IP restriction of the API key */
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
        /** Generate an API key, which replaces the current one immediately */
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
        /** Show when the API key was generated and last used */
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
        /** Revoke the API key */
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
        /** Get the webhook, without its secret */
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
        /** List deleted merchants that can be restored, latest first */
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
        /** Restore a merchant that was deleted in the last 30 days; its API key and webhook are not restored */
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
        /** List the payment methods in which invoices can be paid */
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
        /** List the available balance of each payment method */
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
        /** Get the minimum amounts that a merchant may collect and withdraw */
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
         * Get the fee rate of a transaction type
         * @description `transactionType` is accepted for `type`, and `paymentMethodId` or `methodID` for `paymentMethodID`.
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
         * Compute the fee of an amount, and the amount after fees
         * @description `transactionType` is accepted for `type`, and `paymentMethodId` or `methodID` for `paymentMethodID`.
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
        /** List the fees that were set for all merchants and for single ones */
        get: operations["listOperatorFees"];
        /** Set the fee of a transaction type, for all merchants or one and for all methods or one */
        put: operations["updateOperatorFees"];
        post?: never;
        /** Remove the fee that was set for exactly this target */
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
        /** List the limits that were set for all merchants and for single ones */
        get: operations["listOperatorLimits"];
        /** Set the minimums of collections and withdrawals: in USD for all methods, in the asset for one method */
        put: operations["updateOperatorLimits"];
        post?: never;
        /** Remove the limits that were set for exactly this target */
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
         * Export all matching invoices as CSV for spreadsheets
         * @description Accepts the filters of the list. The file is UTF-8 with a byte order mark, newest invoice first. A text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
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
        /** Get an invoice with all its details */
        get: operations["getInvoice"];
        put?: never;
        /** Archive an invoice: default lists hide it, and it can still be paid */
        post: operations["archiveInvoice"];
        /** Delete an invoice permanently; later payments to it are still credited */
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
        /** Close a collect or reusable invoice: it is paid if anything was received, else expired */
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
        /** Accept short or late payments: the invoice counts as paid */
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
        /** Get the payment address and the amount to pay, for a payer */
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
        /** List the payment addresses of an invoice, one for each payment method */
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
        /** Get the claim link of a withdraw invoice */
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
        /** Get a transaction */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/transactions/{transactionID}/credit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Credit a confirmed payment on the wrong network to the balance; it does not pay its invoice */
        post: operations["creditTransaction"];
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
        /** List payments in quarantine, oldest first */
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
        /** Release a payment from quarantine: credit it to its merchant, less the fee */
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
        /** Seize a payment in quarantine permanently */
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
        /** Read volume by day and method, the conversion of invoices, and balances in USD */
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
        /** Read the timeline of an invoice: quotes, payments, credits and webhook deliveries */
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
        /** Trace why a transaction on chain was or was not credited, step by step */
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
        /** List the deliveries to the webhook, with their results */
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
        /** Get a delivery with its body and each attempt */
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
        /** Send an event again, with the same id and bytes */
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
         * Send events again, starting after a sequence
         * @description Queues events again, with the same ids and bytes, in the order of their `sequence`. One call queues at most 10000 of them: if `next` is not null, call again with it as `after`. Rejected with 429 while 50000 deliveries or more are still to be sent. A repeated request with the same `Idempotency-Key` queues nothing again.
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
         * Read events in order, with or without a webhook
         * @description Returns every event in the order of its `sequence`, with the same bytes as a webhook delivery, even if no webhook is set. Store `next` and send it as `after` next time: no event is skipped or returned twice. While `next` is below `last`, more events can be read immediately; a page may still be empty if none of the scanned events is of the requested `types`. `readAgainAfter` is present if your `after` is the number of an event that the server lost in a restore or a failover, or is greater than `last`: it has no events that you read after `readAgainAfter`. Continue from `next` in this case too, because a number is never used for another event; what happens again gets a new event with a higher number.
         *
         *     With `waitS`, a request stays open until there is an event, for at most that time. It counts as one request for the rate limit. At most 20 readers of a merchant may wait at once, and 40 of all merchants that one account owns, whichever keys they use; further ones get 429.
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
        /** Withdraw balance to an external address */
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
        /** Preview a withdrawal: its fee, net amount and errors; nothing is ordered */
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
        /** List all pending withdrawals, newest first */
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
        /** Get a withdrawal */
        get: operations["getWithdrawal"];
        put?: never;
        post?: never;
        /** Cancel a withdrawal that has no planned transaction; its amount becomes available again */
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
        /** List withdrawals that wait for an approval, oldest first */
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
        /** Approve a withdrawal, whatever its value */
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
        /** Reject a withdrawal that has no planned transaction; its amount becomes available again */
        post: operations["rejectWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/merchants/{merchantID}/sweeps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sweeps of payments to the hot wallet, by asset */
        get: operations["listSweeps"];
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
        /** Get the withdrawal that pays out a withdraw invoice */
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
        /** Claim a withdraw invoice: have it paid out to an address */
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
         * Get custody and liabilities per asset
         * @description The balances of the hot wallets are from their last measurement; all other figures are current.
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
        /** List received money that is not attributed to anyone, latest first */
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
        /** Attribute received money to a merchant, who pays its usual fee, or to the operator’s capital */
        post: operations["assignUnattributed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/treasury-withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List treasury withdrawals, latest first */
        get: operations["listTreasuryWithdrawals"];
        put?: never;
        /** Order a treasury withdrawal of the operator’s own money to the cold address */
        post: operations["orderTreasuryWithdrawal"];
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
        /** List the negative balances of merchants, by name and asset */
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
        /** Write off a negative balance of a merchant from the operator’s capital; the merchant’s payouts resume */
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
        /** Read the number of pending deliveries and the merchants whose webhooks fail */
        get: operations["getWebhookBacklog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/outgoing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read halts and waits of payouts, open transactions, and when the books were last proven
         * @description Halts are lifted and refusals decided on the host, with `coffer payouts`: no request can do this.
         */
        get: operations["getOutgoingState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the EVM networks, the tokens that an operator added, and refused entries */
        get: operations["listNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/own-entries/network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the nodes of a new EVM network, and get the entry that adds the network for signing
         * @description Nothing is stored. Every node is asked, and a difference between them forbids the network.
         */
        post: operations["proposeNetwork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/own-entries/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the nodes of a network about a token, and get the entry that adds the token for signing
         * @description Nothing is stored. A transfer is tried in `eth_call`, without sending a transaction.
         */
        post: operations["proposeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/own-entries/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get the entry that enables or disables one of your networks or tokens, for signing */
        post: operations["proposeRowState"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/own-entries/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check an entry before you sign it
         * @description Nothing is stored. The answer is an error if the signed entry would be refused now. Sign only after this check: whoever has a signature that was not stored may add it later.
         */
        post: operations["checkOwnEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/own-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a signed entry that adds, enables or disables a network or a token
         * @description The entry is checked as the commands check it, and the nodes are asked again. Running processes take it within seconds.
         */
        post: operations["addOwnEntry"];
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
        /** Remove the last blocks of the dev chain, with all their transactions */
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
        /** Read how each chain is followed: its lag and its problems */
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
        /** Read metrics for Prometheus; open to clients on this machine only */
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
        /** Get the contract of this API (OpenAPI 3.1) */
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
        /** Show the API reference as a page, with examples to paste */
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
         * Receive an event at the merchant’s webhook
         * @description Compute the HMAC-SHA256 of the raw body with the webhook’s secret, compare it in constant time with the signature, and answer 200 at once. An event that was not accepted is retried for about three days.
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
            hotWallets: components["schemas"]["HotWallet"][];
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
                /** @description what the hot wallets lack to pay the queue; a decimal string */
                shortfall: string;
            };
            /** @description the address that receives treasury withdrawals on this network; null if none is set */
            coldAddress: string | null;
            /** @description whether custody covers the liabilities */
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
            /** @description the action, such as member.added; new actions may be added */
            action: string;
            /** @description the object of the action, usually an id */
            subject: string;
            /** @description the account that did it; null for automatic actions, the API key and commands on the server */
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
        ChainFinding: {
            /**
             * @description the host of a node; null for what concerns all nodes
             * @example node.example
             */
            node: string | null;
            /** @example decimals */
            name: string;
            /**
             * @description what was found, as text for people
             * @example 6
             */
            text: string;
            level: components["schemas"]["FindingLevel"];
        };
        /**
         * @description `late` if the nodes report no call traces, so that coin that contracts send is found by comparing balances
         * @enum {string}
         */
        ChainInternalTransfers: "immediate" | "late";
        ChainState: {
            network: string;
            /** @description whether a payment made now would be detected */
            ready: boolean;
            /** @description the reason if not, as text for people */
            obstacle: string | null;
            /** @description the last booked block */
            height: number | null;
            /** @description the last known block of the node */
            headHeight: number | null;
            lagBlocks: number | null;
            heardSecondsAgo: number | null;
            /** @description the age of the last booked block, by its own timestamp */
            blockSecondsAgo: number | null;
            failure: {
                height: number | null;
                message: string;
                failingSeconds: number;
            } | null;
            internalTransfers: components["schemas"]["ChainInternalTransfers"];
            /** @description set while deposits are paused after a deep reorganisation; depth is the number of replaced blocks */
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
        /** @description A sweep that moved money from deposit addresses to the hot wallet is final. It does not change balances: they were credited when the payments were confirmed. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the sweep
                 */
                sweepID: string;
                /**
                 * @description a decimal string: the amount that was swept
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the number of a payment method */
                paymentMethodID: number;
                /**
                 * @description the number of swept payments
                 * @example 3
                 */
                transactions: number;
                /** @description the hash of the transaction that swept it */
                txHash: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                completedAt: string;
            };
        };
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
            /** @description the sequence of the event */
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
             * @description why the last attempt got no response: `timeout`, `refused: ...` with the reason, or a code such as `ECONNREFUSED`
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
            /** @description the sequence of the event */
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
             * @description why the last attempt got no response: `timeout`, `refused: ...` with the reason, or a code such as `ECONNREFUSED`
             * @example timeout
             */
            lastError: string | null;
            /**
             * @description the exact text that is signed and sent
             * @example {"id":"0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70","type":"webhook.test"}
             */
            body: string;
            /** @description all attempts, oldest first */
            attemptLog: {
                number: number;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                startedAt: string;
                /** @description how long it took, in milliseconds */
                tookMs: number;
                /** @description the HTTP status of the response */
                status: number | null;
                /**
                 * @description why there was no complete response
                 * @example timeout
                 */
                error: string | null;
                /**
                 * @description the first KiB of the response body
                 * @example ok
                 */
                excerpt: string | null;
            }[];
        };
        /** @enum {string} */
        DeliveryState: "pending" | "delivered" | "exhausted" | "cancelled";
        EntryProposal: {
            findings: components["schemas"]["ChainFinding"][];
            /** @description null if what the chain says forbids the row */
            entry: {
                /** @description the number of the entry, which OPERATOR_ENTRY_MIN takes */
                number: number;
                /**
                 * @description the text to sign, byte by byte
                 * @example {"format":"coffer/own-row/1","serial":4,"previous":"5d41402abc4b2a76b9719d911017c592"}
                 */
                text: string;
                /**
                 * @description the encrypted list of nodes, to be sent back
                 * @example AZ8kq0vV2JmXcQ
                 */
                nodes: string | null;
            } | null;
            /** @description whether this server signs: only a sandbox has a key */
            canSignHere: boolean;
            /** @description the lines that the policy of the signer needs, as text for people */
            policyLines: string[];
        };
        /** @description New types may be added: a reader must ignore types that it does not know. */
        Event: components["schemas"]["InvoicePaidEvent"] | components["schemas"]["InvoiceExpiredEvent"] | components["schemas"]["InvoiceUnderpaidEvent"] | components["schemas"]["InvoiceRevertedEvent"] | components["schemas"]["TransactionDetectedEvent"] | components["schemas"]["TransactionConfirmedEvent"] | components["schemas"]["TransactionQuarantinedEvent"] | components["schemas"]["TransactionRevertedEvent"] | components["schemas"]["TransactionFailedEvent"] | components["schemas"]["WithdrawalBroadcastEvent"] | components["schemas"]["WithdrawalCompletedEvent"] | components["schemas"]["WithdrawalFailedEvent"] | components["schemas"]["WithdrawalCancelledEvent"] | components["schemas"]["CollectionCompletedEvent"] | components["schemas"]["WebhookDisabledEvent"] | components["schemas"]["WebhookTestEvent"];
        /** @enum {string} */
        EventType: "invoice.paid" | "invoice.underpaid" | "invoice.expired" | "invoice.reverted" | "transaction.detected" | "transaction.confirmed" | "transaction.reverted" | "transaction.failed" | "transaction.quarantined" | "collection.completed" | "withdrawal.broadcast" | "withdrawal.completed" | "withdrawal.failed" | "withdrawal.cancelled" | "webhook.disabled" | "webhook.test";
        EvmNetwork: {
            /** @description the name by which commands and settings know the network */
            name: string;
            /** @example Scroll */
            title: string;
            /** @description the EIP-155 chain id of the main chain */
            chainID: number;
            /**
             * @description the symbol of the network’s coin
             * @example ETH
             */
            coin: string;
            /** @description whether an operator added it to this installation */
            isOwn: boolean;
            /** @description whether this server has nodes of it */
            isFollowed: boolean;
            /** @description false if an operator disabled it: new invoices do not offer it */
            isEnabled: boolean;
        };
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
             * @description the symbol of the requested payment method, or USD
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
             * @description the flat fee of each transaction, a decimal string in `currency`
             * @example 0.1
             */
            flat: string;
            /**
             * @description the symbol of the requested payment method, or USD
             * @example USDT
             */
            currency: string;
        };
        FeeSchedule: {
            type: components["schemas"]["FeeType"];
            /** Format: uuid */
            merchantID: string | null;
            /** @description the merchant’s name, even if it is deleted; null if no merchant is named */
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
             * @description USD, or the symbol of the payment method
             * @example USD
             */
            currency: string;
        };
        /** @enum {string} */
        FeeType: "onetime" | "reusable" | "collect" | "withdrawal";
        /**
         * @description stop: the row cannot be added; warn: the operator must judge it
         * @enum {string}
         */
        FindingLevel: "ok" | "warn" | "stop";
        /**
         * @description `transfer`: a transaction on the chain; `balance`: found by balance, because its address held more coin than all known transactions brought
         * @enum {string}
         */
        FoundBy: "transfer" | "balance";
        /** @enum {string} */
        HaltCause: "tampering" | "books" | "log-unknown" | "xpub-foreign" | "cold-address" | "chain-ahead" | "signer-answer" | "history";
        HotWallet: {
            index: number;
            address: string;
            /** @description a decimal string */
            balance: string;
            /** @description the height of the block at which the balance was read */
            height: number;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            at: string;
        };
        /**
         * @description when payments that contracts send are seen: `immediate` with their block; `late` when their block is final, because no node of the network reports the calls of contracts. Always `immediate` for tokens
         * @enum {string}
         */
        InternalTransfers: "immediate" | "late";
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
            /** @description only in lists with `showDetails`, like `reference` and `exceptions` */
            description?: string | null;
            reference?: string | null;
            exceptions?: components["schemas"]["InvoiceException"][];
        };
        /** @enum {string} */
        InvoiceException: "underpaid" | "overpaid" | "late";
        /** @description An invoice ended without being paid in full: it expired or was closed. If a part was paid, `invoice.underpaid` follows. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the merchant’s own reference from its creation; null if it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: the amount of the invoice in USD
                 * @example 25
                 */
                amount: string;
                /** @constant */
                state: "expired";
                /**
                 * @description exceptions in addition to the state
                 * @example []
                 */
                exceptions: components["schemas"]["InvoiceException"][];
            };
        };
        /** @description An invoice was paid. Onetime and collect: when the invoice becomes paid; the data names the transaction that completed it and everything that was received in its currency. Reusable: for each full payment, with the data of that payment. Withdraw: when its claim was paid out. After a chain reorganisation, an invoice can become paid again, and the event is sent again. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the merchant’s own reference from its creation; null if it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: the amount received in this currency, rounded down to at most 6 decimal places
                 * @example 25
                 */
                amount: string;
                /** @description the symbol of the asset in which it was paid */
                currency: string;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                paidAt: string;
                /** @description the hash of the transaction that paid or completed it */
                txHash: string;
                /**
                 * @description present only if a payment did not pass screening
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
            /** @description exceptions in addition to the state */
            exceptions: components["schemas"]["InvoiceException"][];
            /**
             * @description the amount received, a decimal string in USD at the quoted prices of its payments
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
             * @description the page where the invoice is paid; for a withdraw invoice, the page needs the token of `claimURL`
             * @example https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70
             */
            checkoutURL: string;
            addresses: components["schemas"]["MethodAddress"][];
            transactions: components["schemas"]["InvoiceTransaction"][];
            /** @description the number of all its transactions; `transactions` has the newest ones, the transaction list has all */
            transactionsTotal: number;
        };
        /** @description An invoice is no longer paid, because a reorganisation removed its payment from the chain or the payment was taken back. Usually the same transaction is mined again, and `invoice.paid` follows. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the merchant’s own reference from its creation; null if it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: the amount of the invoice in USD
                 * @example 25
                 */
                amount: string;
                state: components["schemas"]["InvoiceState"];
                /**
                 * @description exceptions in addition to the state
                 * @example []
                 */
                exceptions: components["schemas"]["InvoiceException"][];
                /** @description for a reusable invoice: the transaction that no longer pays it; null if that transaction no longer exists */
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
            foundBy: components["schemas"]["TransactionFoundBy"];
            /**
             * @description whether it came on a network that its invoice does not offer; it does not pay the invoice
             * @example false
             */
            isWrongNetwork: boolean;
            /**
             * @description whether the merchant can credit it now, because it is confirmed and on the wrong network
             * @example false
             */
            isCreditable: boolean;
            /**
             * @description the fee that is charged if the merchant credits it; null if it cannot be credited
             * @example null
             */
            creditFee: string | null;
        };
        /** @enum {string} */
        InvoiceType: "onetime" | "reusable" | "collect" | "withdraw";
        /** @description An invoice ended and was paid in part. The received payments are credited nevertheless. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the merchant’s own reference from its creation; null if it has none
                 * @example order-1042
                 */
                reference: string | null;
                /**
                 * @description a decimal string: the amount of the invoice in USD
                 * @example 25
                 */
                amount: string;
                /** @constant */
                state: "expired";
                /**
                 * @description exceptions in addition to the state
                 * @example [
                 *       "underpaid"
                 *     ]
                 */
                exceptions: components["schemas"]["InvoiceException"][];
            };
        };
        LimitOverride: {
            /** Format: uuid */
            merchantID: string | null;
            /** @description the merchant’s name, even if it is deleted; null if no merchant is named */
            merchantName: string | null;
            paymentMethodID: number | null;
            /** @description a decimal string */
            minCollect: string | null;
            /** @description a decimal string */
            minWithdraw: string | null;
            /**
             * @description USD for all methods, or the symbol of the payment method
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
             * @description the currency of this minCollect and minWithdraw
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
                /**
                 * @description whether a payment on a network that its invoice does not offer is credited once it is confirmed; if not, it waits for `POST /merchants/{merchantID}/transactions/{transactionID}/credit`
                 * @example false
                 */
                creditsWrongNetwork: boolean;
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
            /** @description a payment URI for wallets: EIP-681 or BIP 21 */
            uri: string;
        };
        OpenOutgoingTransactions: {
            network: string;
            state: components["schemas"]["OutgoingTransactionState"];
            count: number;
            /** @description when the oldest of them was planned */
            oldestSeconds: number;
        };
        OutgoingHalt: {
            /**
             * Format: uuid
             * @description the id of the halt, for "coffer signer lift"
             */
            id: string;
            cause: components["schemas"]["HaltCause"];
            /** @description what was found */
            detail: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            since: string;
        };
        OutgoingState: {
            /** @description halts: nothing new is sent until they are lifted on the host */
            halts: components["schemas"]["OutgoingHalt"][];
            /** @description waits: some transactions are not sent yet; each wait ends automatically */
            waits: components["schemas"]["OutgoingWait"][];
            /** @description transactions that were refused before anything was signed, oldest first, at most 100 */
            refused: components["schemas"]["RefusedOutgoingTransaction"][];
            /** @description their number, counted up to 1,000 */
            refusedTotal: number;
            /** @description the number of open transactions, by network and state */
            open: components["schemas"]["OpenOutgoingTransactions"][];
            /** @description when the books were last proven; null if never */
            booksCheckedSecondsAgo: number | null;
            /** @description whether payouts wait for this proof */
            isBooksCheckOverdue: boolean;
        };
        /** @enum {string} */
        OutgoingTransactionState: "planned" | "signed" | "broadcast" | "needs_recheck" | "included" | "final" | "conflicted";
        OutgoingWait: {
            network: string;
            /** @description a stable word, such as capital; funds:<asset> where a hot wallet lacks that asset */
            cause: string;
            /** @description the condition that it waits for */
            detail: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            since: string;
        };
        Overview: {
            /**
             * @description a day in UTC, YYYY-MM-DD
             * @example 2026-11-22
             */
            dateFrom: string;
            /**
             * @description a day in UTC, YYYY-MM-DD
             * @example 2026-11-22
             */
            dateTo: string;
            /**
             * @description a decimal string: the volume confirmed in this period, at the prices of the payments, in USD, rounded down to cents
             * @example 1250.00
             */
            volumeUsd: string;
            payments: number;
            /** @description payments without a price, which are not part of any volume */
            unpricedPayments: number;
            /** @description the outcome of the invoices that were created in this period */
            conversion: {
                created: number;
                paid: number;
                expired: number;
                pending: number;
                /**
                 * @description a decimal string: the share of created invoices that were paid
                 * @example 61.4
                 */
                percent: string | null;
            };
            /** @description the previous period of the same length; percentages are null if it has no data */
            before: {
                /**
                 * @description a day in UTC, YYYY-MM-DD
                 * @example 2026-11-22
                 */
                dateFrom: string;
                /**
                 * @description a day in UTC, YYYY-MM-DD
                 * @example 2026-11-22
                 */
                dateTo: string;
                /**
                 * @description a decimal string: the volume confirmed in the previous period, in USD, rounded down to cents
                 * @example 1250.00
                 */
                volumeUsd: string;
                payments: number;
                /**
                 * @description a decimal string: the change in volume since then; negative if it has decreased
                 * @example 12.5
                 */
                volumeChangePercent: string | null;
                /**
                 * @description a decimal string: the change in the number of payments
                 * @example -4.0
                 */
                paymentsChangePercent: string | null;
                /**
                 * @description a decimal string: the share of the invoices created then that were paid
                 * @example 58.0
                 */
                conversionPercent: string | null;
            };
            /** @description every day of the period, oldest first */
            days: {
                /**
                 * @description a day in UTC, YYYY-MM-DD
                 * @example 2026-11-22
                 */
                day: string;
                /**
                 * @description a decimal string: the volume confirmed that day, in USD, rounded down to cents
                 * @example 1250.00
                 */
                volumeUsd: string;
                payments: number;
                invoicesCreated: number;
                /** @description invoices created that day that were paid */
                invoicesPaid: number;
            }[];
            methods: {
                paymentMethodID: number;
                /** @description the symbol of the asset */
                symbol: string;
                /** @description its network */
                network: string;
                /**
                 * @description a decimal string: the volume confirmed, in the asset
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: the volume confirmed, in USD, rounded down to cents
                 * @example 1250.00
                 */
                volumeUsd: string;
                /**
                 * @description a decimal string: the share of the total volume; null if that is zero
                 * @example 72.5
                 */
                volumePercent: string | null;
                payments: number;
            }[];
            balances: {
                /**
                 * @description a decimal string: the sum of all available balances that have a price, in USD, rounded down to cents
                 * @example 1250.00
                 */
                totalUsd: string;
                entries: {
                    paymentMethodID: number;
                    /** @description the symbol of the asset */
                    symbol: string;
                    /**
                     * @description a decimal string: the available balance
                     * @example 12.50
                     */
                    balance: string;
                    /**
                     * @description a decimal string: the available balance; null if there was no price in the last hour, in USD, rounded down to cents
                     * @example 1250.00
                     */
                    usd: string | null;
                }[];
            };
        };
        /** @enum {string} */
        OwnRowKind: "network" | "token";
        OwnToken: {
            paymentMethodID: number;
            network: string;
            symbol: string;
            name: string;
            decimals: number;
            contract: string;
            /** @description false if it cannot be used, or an operator disabled it or its network */
            isEnabled: boolean;
            state: components["schemas"]["OwnTokenState"];
        };
        /**
         * @description of the token alone, whatever the state of its network; unusable: this version of Coffer ships what it repeats
         * @enum {string}
         */
        OwnTokenState: "enabled" | "disabled" | "unusable";
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
            /**
             * @description the title of the network, for people
             * @example BNB Smart Chain
             */
            networkName: string;
            decimals: number;
            /** @description required confirmations of a small payment */
            confirmations: number;
            contract: string | null;
            /** @description a decimal string */
            minimum: string;
            /**
             * @description the block explorer of the network, where `/tx/{hash}` shows a transaction; null if none is known, as on development chains
             * @example https://basescan.org
             */
            explorerURL: string | null;
            internalTransfers: components["schemas"]["InternalTransfers"];
            /**
             * @description why the method is unavailable on this server; absent if it is available
             * @example This server does not follow the dogecoin chain. For the operator: set UTXO_RPC_DOGECOIN to its nodes.
             */
            unavailable?: string;
        };
        Quarantine: {
            /** Format: uuid */
            transactionID: string;
            /** Format: uuid */
            merchantID: string;
            /** @description the merchant’s name, even if it is deleted; null if no merchant is named */
            merchantName: string | null;
            /** Format: uuid */
            invoiceID: string | null;
            /** @description a decimal string */
            amount: string;
            currency: string;
            paymentMethodID: number;
            txHash: string | null;
            foundBy: components["schemas"]["TransactionFoundBy"];
            sender: string | null;
            /**
             * @description the payer that is on the sanctions list; differs from the sender if the payment went through a contract
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
         * @description `listed`: its sender is on a sanctions list; `unknown`: it could not be screened; `implausible`: the token reports a transfer of more than its total supply
         * @enum {string}
         */
        QuarantineReason: "listed" | "unknown" | "implausible";
        RefusedEntry: {
            /** @description the id of the entry in the database */
            entry: number;
            /** @description why the entry is not used, as text for people */
            reason: string;
        };
        RefusedOutgoingTransaction: {
            /**
             * Format: uuid
             * @description the id of the outgoing transaction
             */
            id: string;
            network: string;
            /** @description the kind of transaction, such as withdrawal or sweep */
            kind: string;
            /** @description the reason, such as over-limit */
            code: string;
            detail: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            refusedAt: string;
            /** @description when it is retried; null if it waits for an operator */
            retryAt: string | null;
        };
        Replay: {
            /** @description the number of events that are sent again */
            count: number;
            /** @description the value to send as "after" for the rest; null if nothing is left */
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
            foundBy: components["schemas"]["TransactionFoundBy"];
            /** @description whether its sender passed screening; false while it is unknown */
            amlOk: boolean;
            seenIn: components["schemas"]["TransactionWhereabouts"];
            /**
             * @description whether it came on a network that its invoice does not offer; it does not pay the invoice
             * @example false
             */
            isWrongNetwork: boolean;
            /**
             * @description whether the merchant can credit it now, because it is confirmed and on the wrong network
             * @example false
             */
            isCreditable: boolean;
            /**
             * @description the fee that is charged if the merchant credits it; null if it cannot be credited
             * @example null
             */
            creditFee: string | null;
            /** @description the hash of a transaction that spends the same money: only one of them can be confirmed, and this one fails when the other is final */
            replacedBy: string | null;
        };
        Sweep: {
            /** Format: uuid */
            id: string;
            paymentMethodID: number;
            /** @description a decimal string: the amount to sweep; once completed, the amount that was swept */
            amount: string;
            /** @description the number of swept payments */
            transactions: number;
            state: components["schemas"]["SweepState"];
            txHash: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            completedAt: string | null;
        };
        /** @enum {string} */
        SweepState: "planned" | "funding" | "sweeping" | "completed" | "blocked";
        TimelineEntry: {
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            at: string;
            /**
             * @description New steps may be added: a reader must ignore steps that it does not know.
             * @enum {string}
             */
            step: "invoice.created" | "quote.given" | "payment.seen" | "payment.included" | "payment.confirmed" | "payment.quarantined" | "payment.failed" | "invoice.accepted" | "invoice.closed" | "invoice.paid" | "invoice.expired" | "webhook.delivered" | "webhook.failing" | "webhook.waiting" | "webhook.given-up" | "webhook.not-sent";
            paymentMethodID?: number;
            /** @description the symbol of the asset */
            currency?: string;
            /**
             * @description a decimal string: the amount of the quote or of the payment
             * @example 12.50
             */
            amount?: string;
            /**
             * @description a decimal string: the amount credited
             * @example 12.50
             */
            net?: string;
            /**
             * @description a decimal string: the fee
             * @example 0.22
             */
            fee?: string;
            /** @description when the quote expires */
            until?: string;
            /**
             * Format: uuid
             * @description a payment
             */
            transactionID?: string;
            /** @description its transaction hash on chain */
            txHash?: string;
            blockHeight?: number;
            /** @description the type of the event that was sent to the webhook */
            eventType?: string;
            /**
             * Format: uuid
             * @description a delivery
             */
            deliveryID?: string;
            /** @description the number of delivery attempts so far */
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
        TraceVerdict: "node-silent" | "unknown-transaction" | "in-mempool" | "failed-on-chain" | "nothing-moved" | "before-first-block" | "not-scanned-yet" | "not-to-this-merchant" | "internal-transfer" | "unlisted-asset" | "not-recorded" | "dropped" | "unseen" | "replaced" | "waiting-for-confirmations" | "quarantined" | "below-minimum" | "other-asset" | "wrong-network" | "late" | "credited";
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
            /** @description only in lists with `showCurrency` */
            paymentMethodID?: number;
            /** @description only in lists with `showCurrency` */
            currency?: string;
        };
        /** @description A payment has the required confirmations: it was credited, it waits below the minimum, or it is on the wrong network and waits for a decision. For a payment in quarantine, the event is sent when it is released. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the invoice to which it was paid
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: the amount that was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the hash of the transaction on the chain; `balance:<chain id>:<address>:<block>` if it was found by balance */
                txHash: string;
                foundBy: components["schemas"]["FoundBy"];
                /**
                 * @description a decimal string: the fee; null if nothing is credited yet
                 * @example 0.22
                 */
                fee: string | null;
                /**
                 * @description a decimal string: the credited amount; null while the payment is below the minimum, which it may reach together with others, and if it is on the wrong network and not credited
                 * @example 12.28
                 */
                net: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                confirmedAt: string;
                /**
                 * @description whether the payment came on a network that its invoice does not offer; it does not pay the invoice, and is credited only if the merchant decides so
                 * @example false
                 */
                isWrongNetwork: boolean;
            };
        };
        /** @description A payment was detected, in a block or still unconfirmed. Nothing is credited yet, because the chain can still reverse it. Sent again when a reorganisation moves it to another block. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the invoice to which it was paid
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: the amount that was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the hash of the transaction on the chain; `balance:<chain id>:<address>:<block>` if it was found by balance */
                txHash: string;
                foundBy: components["schemas"]["FoundBy"];
                /** @description false if its sender did not pass screening or could not be screened so far */
                amlOk: boolean;
                /**
                 * @description whether the payment came on a network that its invoice does not offer; it does not pay the invoice, and is credited only if the merchant decides so
                 * @example false
                 */
                isWrongNetwork: boolean;
            };
        };
        /** @description A detected payment can no longer be confirmed: another transaction that spends the same money is final. On chains with accounts, such as Ethereum, this does not happen to a payment that was in a block. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the invoice to which it was paid
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: the amount that was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the hash of the transaction on the chain; `balance:<chain id>:<address>:<block>` if it was found by balance */
                txHash: string;
                foundBy: components["schemas"]["FoundBy"];
                /**
                 * @description the transaction that replaced it
                 * @example 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e
                 */
                replacedBy: string | null;
            };
        };
        /**
         * @description `transfer`: by a transaction on the chain; `balance`: found by balance, because its address held more coin than all known transactions brought. A payment that is found by balance has no hash
         * @enum {string}
         */
        TransactionFoundBy: "transfer" | "balance";
        /** @description A payment has the required confirmations, but its sender did not pass screening or its amount is implausible. Sent instead of `transaction.confirmed`; nothing is credited until it is released. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the invoice to which it was paid
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: the amount that was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the hash of the transaction on the chain; `balance:<chain id>:<address>:<block>` if it was found by balance */
                txHash: string;
                foundBy: components["schemas"]["FoundBy"];
                reason: components["schemas"]["QuarantineReason"];
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                confirmedAt: string;
            };
        };
        /** @description A reorganisation removed the block of a payment, and what was credited is taken back; or it removed the block that made the payment fail. Usually the same transaction is mined again, and `transaction.detected` follows. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description the invoice to which it was paid
                 */
                invoiceID: string;
                /**
                 * @description a decimal string: the amount that was sent
                 * @example 12.50
                 */
                amount: string;
                /** @description the symbol of the asset */
                currency: string;
                /** @description the hash of the transaction on the chain; `balance:<chain id>:<address>:<block>` if it was found by balance */
                txHash: string;
                foundBy: components["schemas"]["FoundBy"];
                /** @description whether the payment had been credited or put into quarantine */
                wasConfirmed: boolean;
                /**
                 * @description whether the payment had failed and is pending again
                 * @example false
                 */
                wasFailed: boolean;
            };
        };
        /** @enum {string} */
        TransactionState: "pending" | "confirmed" | "failed";
        /**
         * @description where the transaction is now; it does not count before it is in a block
         * @enum {string}
         */
        TransactionWhereabouts: "block" | "mempool" | "nowhere";
        TreasuryWithdrawal: {
            /** Format: uuid */
            id: string;
            paymentMethodID: number;
            symbol: string;
            source: components["schemas"]["TreasuryWithdrawalSource"];
            /** @description a decimal string */
            amount: string;
            state: components["schemas"]["TreasuryWithdrawalState"];
            txHash: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            endedAt: string | null;
        };
        /** @enum {string} */
        TreasuryWithdrawalSource: "capital" | "fees" | "forfeited";
        /** @enum {string} */
        TreasuryWithdrawalState: "pending" | "completed" | "failed";
        /** @enum {string} */
        UnattributedFoundBy: "transfer" | "balance";
        /** @enum {string} */
        UnattributedOwner: "merchant" | "capital";
        /**
         * @description `no-owner`: its address is a hot wallet or belongs to no invoice; `wrong-network`: its invoice does not offer its network; `deleted-merchant`: its merchant is deleted or was deleted when it came
         * @enum {string}
         */
        UnattributedReason: "no-owner" | "wrong-network" | "deleted-merchant";
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
            txHash: string | null;
            foundBy: components["schemas"]["UnattributedFoundBy"];
            sender: string | null;
            recipient: string;
            state: components["schemas"]["UnattributedState"];
            /** @description whether its sender passed screening */
            amlOk: boolean;
            /** @description the merchant to which it was paid */
            merchantID: string | null;
            reason: components["schemas"]["UnattributedReason"];
            /** @description the merchant’s name, even if it is deleted; null if no merchant is named */
            merchantName: string | null;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
        };
        Webhook: {
            url: string;
            /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
            createdAt: string;
            /** @description when it was last set, the same as createdAt */
            updatedAt: string;
            /**
             * @description until when the previous secret also signs; null if it does not
             * @example 2027-03-15T15:09:26.535Z
             */
            formerSecretValidUntil: string | null;
            state: components["schemas"]["WebhookState"];
            /**
             * @description until when nothing is sent because it answered 429 or 503 with Retry-After; null otherwise
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
            /** @description pending deliveries */
            pending: number;
            /** @description pending deliveries that are due */
            due: number;
            /** @description seconds for which the oldest due delivery has waited */
            oldestDueSeconds: number | null;
            /** @description the merchants with the most pending deliveries, largest number first */
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
        /** @description The webhook was disabled: its endpoint answered 410, or every attempt failed for days. This event is only in the feed, because nothing is sent until the webhook is set again. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
             * @example 7
             */
            sequence: number;
            data: {
                /** @description the URL to which events were sent */
                url: string;
                /**
                 * @description `gone`: it answered 410; `failing`: every attempt failed for five days
                 * @enum {string}
                 */
                reason: "gone" | "failing";
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                failingSince: string;
            };
        };
        /**
         * @description failing: the last attempt failed; disabled: nothing is sent until it is set again
         * @enum {string}
         */
        WebhookState: "active" | "failing" | "disabled";
        /** @description A test event was requested with `POST /weebhook/{merchantID}/test`. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
             * @example 7
             */
            sequence: number;
            data: {
                /**
                 * Format: uuid
                 * @description the testID that the request returned
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
            /** @description an explanation of why it failed */
            explanation: string | null;
            /** @description a decimal string */
            fee: string;
            /** @description a decimal string: what the recipient receives, the amount less the fee */
            net: string;
            /** @description a decimal string: the cost of a failed transaction, which was deducted from the amount; null for others */
            networkCost: string | null;
            /** Format: uuid */
            invoiceID: string | null;
        };
        WithdrawalApproval: {
            /** Format: uuid */
            merchantID: string;
            /** @description the merchant’s name, even if it is deleted; null if no merchant is named */
            merchantName: string | null;
            symbol: string;
            /** @description the value at the current price; null if there is no recent price */
            worthUSD: string | null;
            /** @description whether an operator approved it */
            isReleased: boolean;
            withdrawal: components["schemas"]["Withdrawal"];
        };
        /** @description The first transaction of a withdrawal was sent to the chain. It may be replaced by one with a higher network fee; `withdrawal.completed` names the one that is in a block. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description a decimal string: the amount debited from the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: the fee, which is part of the amount
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient receives, the amount less the fee
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
                /** @description the hash of the transaction that pays it */
                txHash: string;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                broadcastAt: string;
            };
        };
        /** @description A withdrawal was cancelled before anything was sent, by its merchant, or because its chain reversed a deposit from which it was to be paid. Its whole amount is available again. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description a decimal string: the amount debited from the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: the fee, which is part of the amount
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient receives, the amount less the fee
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
                 * @description an explanation of why it ended
                 * @example null
                 */
                explanation: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                endedAt: string;
                /** @constant */
                state: "cancelled";
                /**
                 * @description the hash of the last transaction that was sent for it; null if none was sent
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description a decimal string: the amount debited from the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: the fee, which is part of the amount
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient receives, the amount less the fee
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
                 * @description an explanation of why it ended
                 * @example null
                 */
                explanation: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                endedAt: string;
                /** @constant */
                state: "completed";
                /** @description the hash of the transaction that pays it */
                txHash: string;
            };
        };
        /** @enum {string} */
        WithdrawalEndReason: "merchant" | "transaction" | "shortfall" | "operator" | "screening";
        /** @description A withdrawal cannot be paid or was rejected: its amount is available again, less `networkCost` if it failed on its chain. */
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
             * @description the merchant's events are numbered without gaps; after a restore of the database or a takeover by a standby, numbering continues some millions higher
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
                 * @description a decimal string: the amount debited from the balance
                 * @example 12.50
                 */
                amount: string;
                /**
                 * @description a decimal string: the fee, which is part of the amount
                 * @example 0.20
                 */
                fee: string;
                /**
                 * @description a decimal string: what the recipient receives, the amount less the fee
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
                 * @description an explanation of why it ended
                 * @example the recipient could not be confirmed
                 */
                explanation: string | null;
                /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                endedAt: string;
                /** @constant */
                state: "failed";
                /**
                 * @description a decimal string: the network fee of the failed transaction, which is deducted from the amount
                 * @example null
                 */
                networkCost: string | null;
                /**
                 * @description the hash of the last transaction that was sent for it; null if none was sent
                 * @example null
                 */
                txHash: string | null;
            };
        };
        WithdrawalPreview: {
            /** @description the canonical form of the address; null if money cannot be sent to it */
            address: string | null;
            /** @description a decimal string; null if the amount cannot be withdrawn */
            fee: string | null;
            /** @description a decimal string: what the recipient would receive */
            net: string | null;
            /** @description a decimal string */
            available: string;
            currency: string;
            /** @description a different address that was paid before and begins and ends like this one */
            lookalike: string | null;
            /** @description the networks on which the address is a contract although it is none on the network of the payment method; then the order needs "confirmNetwork": true */
            contractOn: string[];
            /** @description the networks whose nodes did not answer, so that the address may be a contract there */
            uncheckedOn: string[];
            /** @description the errors by field; empty if the withdrawal can be ordered */
            errors: {
                pointer: string;
                detail: string;
            }[];
        };
        /** @enum {string} */
        WithdrawalStage: "queued" | "approved" | "planned" | "signed" | "broadcast" | "needs_recheck";
        /** @enum {string} */
        WithdrawalState: "pending" | "completed" | "failed" | "cancelled";
        /** @enum {string} */
        WithdrawalWait: "debt" | "funds" | "screening" | "rate" | "operator" | "gas-budget";
        /** @description An error, as described by RFC 7807. */
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
             * @description id of this request; quote it when you ask for help
             */
            requestID: string;
            /** @description each error of an invalid request, with its location */
            errors?: components["schemas"]["FieldError"][];
        };
        /**
         * @description The kind of problem, for programs. New codes may be added: for an unknown one, use the status.
         * @enum {string}
         */
        ProblemCode: "already-attributed" | "already-member" | "below-minimum" | "cold-address-missing" | "contract-elsewhere" | "database-unavailable" | "email-taken" | "fee-exceeds-amount" | "forbidden" | "headers-too-large" | "idempotency-conflict" | "idempotency-in-progress" | "insufficient-balance" | "internal" | "invalid-address" | "invalid-code" | "invalid-login" | "invalid-request" | "invoice-not-acceptable" | "invoice-not-closable" | "invoice-not-payable" | "last-owner" | "listed-address" | "lookalike-address" | "malformed-json" | "merchant-gone" | "merchant-has-funds" | "method-not-allowed" | "method-not-offered" | "not-found" | "not-ready" | "nothing-owed" | "owes-more" | "payload-too-large" | "payment-under-way" | "payouts-frozen" | "proof-required" | "quarantine-ended" | "query-too-slow" | "rate-unavailable" | "reference-taken" | "registration-closed" | "request-timeout" | "second-factor-off" | "second-factor-on" | "too-busy" | "too-many-members" | "too-many-requests" | "too-many-tokens" | "too-many-withdrawals" | "transaction-not-creditable" | "two-factor-required" | "unauthenticated" | "unknown-account" | "unsupported-media-type" | "uri-too-long" | "webhook-disabled" | "withdrawal-ended" | "withdrawal-under-way";
        FieldError: {
            /** @description a JSON pointer into the body, or query/<name>, path/<name>, header/<name> */
            pointer: string;
            /** @description what is wrong with the field */
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
        /** @description Not found. */
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
        /** @description The URL of the request is too long. */
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
        /** @description The database does not answer; or: The database query took too long; or: The server is overloaded. */
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
         * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
         * @example order-1042-first-try
         */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description Id of this request in the server’s log; quote it when you ask for help. */
        "X-Request-Id": string;
        /** @description The authentication scheme that is accepted. */
        "WWW-Authenticate": string;
        /** @description Seconds to wait before the next attempt. */
        "Retry-After": number;
        /** @description Requests that this credential may make per window. */
        "RateLimit-Limit": number;
        /** @description Requests left in the current window. */
        "RateLimit-Remaining": number;
        /** @description The limit and the length of its window in seconds. */
        "RateLimit-Policy": string;
        /** @description Present if this is the stored answer of an earlier request with the same Idempotency-Key. */
        "Idempotent-Replayed": "true";
        /** @description When this operation was deprecated (RFC 9745). */
        Deprecation: string;
        /** @description When this operation may be removed (RFC 8594). */
        Sunset: string;
        /** @description The operation that replaces it. */
        Link: string;
        /** @description Seconds until a new window starts. */
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
                     *         "deposits on litecoin are paused until block 3095974, because 13 blocks were replaced"
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "ready";
                        /**
                         * @description networks on which a payment made now would not be detected, and other problems; absent if there are none
                         * @example [
                         *       "deposits on litecoin are paused until block 3095974, because 13 blocks were replaced"
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
            /** @description The database does not answer; or: The server is not ready; or: The database query took too long; or: The server is overloaded. */
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
            /** @description Created. */
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
            /** @description An account with this email already exists. */
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
                     * @description the two-factor code that the authenticator app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
            /** @description The two-factor code is wrong; or: The email or the password is wrong; or: A two-factor code is required. */
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
            /** @description Success. */
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
            /** @description Done, without a body. */
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
                     * @description the two-factor code that the authenticator app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Done, without a body. */
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
            /** @description The two-factor code is wrong; or: A two-factor code is required; or: A valid credential is required. */
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
            /** @description Success. */
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
            /** @description Created. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The account has reached its maximum number of tokens. */
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
            /** @description Done, without a body. */
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
            /** @description Success. */
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
                        /** @description whether it is the login of this request */
                        isCurrent: boolean;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        createdAt: string;
                        /** @description when a browser’s login was last used, accurate to a minute; null for a program’s login */
                        lastSeenAt: string | null;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                        /** @description the IP address from which it was started */
                        address: string | null;
                        /** @description the user agent with which it was started */
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
            /** @description Success. */
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
                        /** @description the number of revoked logins */
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
            /** @description Done, without a body. */
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
            /** @description Success. */
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
            /** @description Success. */
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
                        /** @description to be entered in the app if it cannot scan the QR code */
                        secret: string;
                        /**
                         * @description the content of the QR code
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
            /** @description Two-factor authentication is already enabled. */
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
                     * @description the two-factor code that the authenticator app shows now, or a recovery code
                     * @example 492039
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                         * @description 10 codes that replace the app, each of them once; returned only in this response
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
            /** @description Two-factor authentication is not enabled; or: Two-factor authentication is already enabled. */
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
                     * @description the two-factor code that the authenticator app shows now, or a recovery code
                     * @example 492039
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                         * @description 10 codes that replace the app, each of them once; returned only in this response
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
            /** @description Two-factor authentication is not enabled. */
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
                     * @description the two-factor code that the authenticator app shows now, or a recovery code
                     * @example 492039
                     */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done, without a body. */
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
            /** @description Two-factor authentication is not enabled. */
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
            /** @description Success. */
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
                        /** @description to be sent as X-CSRF-Token with each request that changes something */
                        csrfToken: string;
                        /** @description when the session ends, even if it is in use */
                        expiresAt: string;
                        account: {
                            /**
                             * Format: uuid
                             * @description an account
                             */
                            id: string;
                            email: string;
                            /** @description whether it has access to the operator pages */
                            isOperator: boolean;
                            /** @description whether two-factor authentication is enabled */
                            hasSecondFactor: boolean;
                        };
                        /**
                         * @description the mode of this server
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
                     * @description the two-factor code that the authenticator app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                        /** @description to be sent as X-CSRF-Token with each request that changes something */
                        csrfToken: string;
                        /** @description when the session ends, even if it is in use */
                        expiresAt: string;
                        account: {
                            /**
                             * Format: uuid
                             * @description an account
                             */
                            id: string;
                            email: string;
                            /** @description whether it has access to the operator pages */
                            isOperator: boolean;
                            /** @description whether two-factor authentication is enabled */
                            hasSecondFactor: boolean;
                        };
                        /**
                         * @description the mode of this server
                         * @enum {string}
                         */
                        mode: "sandbox" | "production";
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            /** @description The two-factor code is wrong; or: The email or the password is wrong; or: A two-factor code is required. */
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
            /** @description Done, without a body. */
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
                     * @description the two-factor code that the authenticator app shows now, or a recovery code
                     * @example 492039
                     */
                    code?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                        /** @description valid for this session, for five minutes */
                        proof: string;
                        /** @description YYYY-MM-DDTHH:mm:ss.sssZ */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            /** @description The two-factor code is wrong; or: A two-factor code is required; or: A valid credential is required. */
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
            /** @description Success. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                    /** @description a name that is not blank and has no control characters */
                    name: string;
                };
            };
        };
        responses: {
            /** @description Created. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress. */
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
            /** @description Success. */
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
                     *         "tolerancePercent": "0.5",
                     *         "creditsWrongNetwork": false
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
                    /** @description a name that is not blank and has no control characters */
                    name?: string;
                    settings?: {
                        webhookUrl?: string | null;
                        ipWhitelist?: string[];
                        paidWhen?: components["schemas"]["PaidWhen"];
                        tolerancePercent?: string;
                        creditsWrongNetwork?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
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
                /** @description true: the deletion is rejected while the merchant holds money */
                ifEmpty?: boolean;
            };
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Done, without a body. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The merchant still holds money. */
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
            /** @description Success. */
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
            /** @description Created. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The account is already a member; or: The merchant has reached its maximum number of members. */
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
            /** @description Success. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description A merchant needs at least one owner. */
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
            /** @description Done, without a body. */
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
            /** @description A merchant needs at least one owner. */
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
            /** @description Success. */
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
                /** @description a list to test instead of the stored one */
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
            /** @description Success. */
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
                        /** @description empty if there is no restriction */
                        ipAddresses: string[];
                        /**
                         * @description the client’s address, as this server sees it
                         * @example 192.0.2.7
                         */
                        yourAddress: string;
                        /** @description whether the list (the tested one, else the stored one) would reject the API key from your address */
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
            /** @description Success. */
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
            /** @description Done, without a body. */
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
            /** @description Success. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description Success. */
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
            /** @description Done, without a body. */
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
            /** @description Success. */
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
                    /** @description Revokes the previous secret immediately. Without it, if the host stays the same, a replaced secret also signs in webhook-signature for another 24 hours. */
                    revokeFormerSecret?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
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
            /** @description Done, without a body. */
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
            /** @description Success. */
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
            /** @description Success. */
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
                /** @description also lists the methods that are not enabled on this server, each with the reason */
                include?: "unavailable";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                     *         "networkName": "BNB Smart Chain",
                     *         "decimals": 6,
                     *         "confirmations": 2,
                     *         "contract": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *         "minimum": "12.50",
                     *         "explorerURL": "https://basescan.org",
                     *         "internalTransfers": "immediate",
                     *         "unavailable": "This server does not follow the dogecoin chain. For the operator: set UTXO_RPC_DOGECOIN to its nodes."
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description The database does not answer; or: The database query took too long; or: No fresh exchange rate is available; or: The server is overloaded. */
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
                 * @description a decimal string such as "0.025", with at most 12 digits before the point and as many after it as the asset has
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
            /** @description Success. */
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
            /** @description The database does not answer; or: The database query took too long; or: No fresh exchange rate is available; or: The server is overloaded. */
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
            /** @description Success. */
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
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and as many after it as the asset has */
                    flat?: string;
                    /** @description the currency of `flat`: USD, or the symbol of the named method */
                    currency?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
            /** @description Done, without a body. */
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
            /** @description Success. */
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
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and as many after it as the asset has */
                    minCollect?: string;
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and as many after it as the asset has */
                    minWithdraw?: string;
                };
            };
        };
        responses: {
            /** @description Done, without a body. */
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
            /** @description Done, without a body. */
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
                /** @description at most 20 words; each must occur in the description or the reference, in any order, also as a part of a word */
                search?: string;
                /** @description whether each record also has `description`, `reference` and `exceptions` */
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
            /** @description Success. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Created. */
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
                         * @description the page where the invoice is paid; for a withdraw invoice, the page needs the token of `claimURL`
                         * @example https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70
                         */
                        checkoutURL: string;
                        /**
                         * @description for a withdraw invoice: whoever opens it enters the address that receives the money
                         * @example https://pay.example/pay/0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70#claim=EXAMPLE
                         */
                        claimURL?: string;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: Another invoice has this reference. */
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
                /** @description at most 20 words; each must occur in the description or the reference, in any order, also as a part of a word */
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
            /** @description Success. */
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
            /** @description Success. */
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
                     *           "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "foundBy": "transfer",
                     *           "isWrongNetwork": false,
                     *           "isCreditable": false,
                     *           "creditFee": null
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Done, without a body. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Done, without a body. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: A payment is pending. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Success. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The invoice cannot be closed. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Success. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: There is no payment to accept. */
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
            /** @description Success. */
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
            /** @description The invoice does not offer this payment method; or: Not found. */
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
            /** @description The database does not answer; or: The database query took too long; or: No fresh exchange rate is available; or: The server is overloaded. */
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
            /** @description Success. */
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
            /** @description The database does not answer; or: The database query took too long; or: No fresh exchange rate is available; or: The server is overloaded. */
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
            /** @description Success. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
                /** @description whether each record also has `paymentMethodID` and `currency` */
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
            /** @description Success. */
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
            /** @description Success. */
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
                     *       "foundBy": "transfer",
                     *       "amlOk": true,
                     *       "seenIn": "block",
                     *       "isWrongNetwork": false,
                     *       "isCreditable": false,
                     *       "creditFee": null,
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
    creditTransaction: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
                 * @example order-1042-first-try
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
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
            /** @description Success. */
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
                     *       "invoiceID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "amount": "12.50",
                     *       "state": "pending",
                     *       "createdAt": "2027-03-14T15:09:26.535Z",
                     *       "confirmedAt": "2027-03-14T15:09:26.535Z",
                     *       "txHash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "paymentMethodID": 1,
                     *       "currency": "USDT",
                     *       "foundBy": "transfer",
                     *       "amlOk": true,
                     *       "seenIn": "block",
                     *       "isWrongNetwork": false,
                     *       "isCreditable": false,
                     *       "creditFee": null,
                     *       "replacedBy": "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"
                     *     }
                     */
                    "application/json": components["schemas"]["SingleTransaction"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The payment cannot be credited. */
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
            /** @description Success. */
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
                     *           "foundBy": "transfer",
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Success. */
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
                     *       "foundBy": "transfer",
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The quarantine has already ended. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Success. */
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
                     *       "foundBy": "transfer",
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The quarantine has already ended. */
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
                /** @description a day in UTC, YYYY-MM-DD */
                dateFrom?: string;
                /** @description a day in UTC, YYYY-MM-DD */
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Accepted; it will be processed. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The webhook is disabled. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                     * @description events after this sequence are sent again; 0 for all
                     * @example 1041
                     */
                    after: number;
                    /** @description the last sequence to send, greater than "after"; by default the newest one */
                    toSequence?: number;
                };
            };
        };
        responses: {
            /** @description Accepted; it will be processed. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The webhook is disabled. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Accepted; it will be processed. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The webhook is disabled. */
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
                /** @description the `next` of the previous page, or the sequence of the last event you have; 0 to start */
                after?: number;
                limit?: number;
                /** @description only events of these types */
                "types[]"?: components["schemas"]["EventType"][];
                /** @description how many seconds to wait if there is nothing to read yet; the response is sent with the first event */
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
            /** @description Success. */
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
                        /** @description the value to send as "after" next time */
                        next: number;
                        /** @description the sequence of the newest event; 0 if there is none */
                        last: number;
                        /** @description increases each time the server's history starts anew, after a restore or when another database server took over */
                        incarnation: number;
                        /** @description only if `after` is the number of an event that the server lost, or is greater than `last`: the number of the last earlier event that it has */
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
            /** @description Success. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                    /** @description true: the whole address was compared, although it resembles one that was paid before */
                    confirmLookalike?: boolean;
                    /** @description true: the recipient controls the address on this network, although it is a contract on another network only */
                    confirmNetwork?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: Payouts of this merchant are frozen; or: Too many withdrawals are pending. */
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
            /** @description The amount is below the minimum; or: The address is a contract on another network only; or: The fee takes the whole amount; or: Insufficient balance; or: Money cannot be sent to this address; or: The address is on a sanctions list; or: The address resembles one that was paid before. */
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
            /** @description Success. */
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
                     *       "contractOn": [
                     *         "base"
                     *       ],
                     *       "uncheckedOn": [
                     *         "arbitrum"
                     *       ],
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
            /** @description Success. */
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
            /** @description Success. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Done, without a body. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The withdrawal can no longer be cancelled. */
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
            /** @description Success. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
            /** @description Success. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The withdrawal has ended. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                    /** @description the reason, which the merchant sees */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The withdrawal has ended; or: The withdrawal can no longer be cancelled. */
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
    listSweeps: {
        parameters: {
            query?: {
                limit?: number;
                page?: number;
                order?: "asc" | "desc";
                orderBy?: "createdAt" | "amount";
                "states[]"?: components["schemas"]["SweepState"][];
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
            /** @description Success. */
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
                        data: components["schemas"]["Sweep"][];
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
            /** @description Success. */
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
                        /** @description null while nobody has claimed the invoice, after a failed payout (which leaves the claim open), and for invoices of other types */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                    /** @description true: the payee controls the address on this network, although it is a contract on another network only */
                    confirmNetwork?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The invoice can no longer be paid. */
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
            /** @description The amount is below the minimum; or: The address is a contract on another network only; or: The fee takes the whole amount; or: Insufficient balance; or: Money cannot be sent to this address; or: The address is on a sanctions list. */
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
            /** @description The database does not answer; or: The database query took too long; or: No fresh exchange rate is available; or: The server is overloaded. */
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
            /** @description Success. */
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
                     *           "hotWallets": [
                     *             {
                     *               "index": 1,
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
            /** @description Success. */
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
                     *           "foundBy": "transfer",
                     *           "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *           "recipient": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
                     *           "state": "pending",
                     *           "amlOk": true,
                     *           "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *           "reason": "no-owner",
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                    /** @description for the audit log; required if the sender did not pass screening */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                     *       "foundBy": "transfer",
                     *       "sender": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *       "recipient": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
                     *       "state": "pending",
                     *       "amlOk": true,
                     *       "merchantID": "0195a3f2-7c1e-7b54-9d3a-2f6c8e1b4a70",
                     *       "reason": "no-owner",
                     *       "merchantName": "Corner Shop",
                     *       "createdAt": "2027-03-14T15:09:26.535Z"
                     *     }
                     */
                    "application/json": components["schemas"]["UnattributedTransaction"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The money is already attributed; or: The Idempotency-Key was used for another request; or: The first request with this key is still in progress. */
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
    listTreasuryWithdrawals: {
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
            /** @description Success. */
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
                        data: components["schemas"]["TreasuryWithdrawal"][];
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
    orderTreasuryWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                    source: components["schemas"]["TreasuryWithdrawalSource"];
                    /** @description a decimal string such as "0.025", with at most 12 digits before the point and as many after it as the asset has */
                    amount: string;
                };
            };
        };
        responses: {
            /** @description Created. */
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
                    "application/json": components["schemas"]["TreasuryWithdrawal"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description No cold address is set; or: The Idempotency-Key was used for another request; or: The first request with this key is still in progress. */
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
            /** @description Insufficient balance. */
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
            /** @description Success. */
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
                 * @description Any text of 1 to 255 visible ASCII characters, a new one for each operation. For seven days, the same request with the same key runs once and gets the same answer; a different request with the same key is rejected.
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
                    /** @description the expected negative balance; rejected if the merchant owes more, and only the actual amount is written off if it owes less */
                    amount: string;
                };
            };
        };
        responses: {
            /** @description Created. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            /** @description The Idempotency-Key was used for another request; or: The first request with this key is still in progress; or: The merchant owes nothing; or: The merchant owes more than the given amount. */
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
            /** @description Insufficient balance. */
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
            /** @description Success. */
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
    getOutgoingState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                    "application/json": components["schemas"]["OutgoingState"];
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
    listNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                     *       "networks": [
                     *         {
                     *           "name": "Corner Shop",
                     *           "title": "Scroll",
                     *           "chainID": 1,
                     *           "coin": "ETH",
                     *           "isOwn": true,
                     *           "isFollowed": true,
                     *           "isEnabled": true
                     *         }
                     *       ],
                     *       "tokens": [
                     *         {
                     *           "paymentMethodID": 1,
                     *           "network": "ethereum",
                     *           "symbol": "USDT",
                     *           "name": "Corner Shop",
                     *           "decimals": 6,
                     *           "contract": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *           "isEnabled": true,
                     *           "state": "enabled"
                     *         }
                     *       ],
                     *       "refused": [
                     *         {
                     *           "entry": 1,
                     *           "reason": "the recipient could not be confirmed"
                     *         }
                     *       ],
                     *       "lastEntry": 1,
                     *       "canSignHere": true
                     *     }
                     */
                    "application/json": {
                        networks: components["schemas"]["EvmNetwork"][];
                        tokens: components["schemas"]["OwnToken"][];
                        refused: components["schemas"]["RefusedEntry"][];
                        /** @description the number of the last signed entry */
                        lastEntry: number | null;
                        /** @description whether this server signs entries: only a sandbox has a key */
                        canSignHere: boolean;
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
    proposeNetwork: {
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
                 *       "name": "scroll",
                 *       "title": "Scroll",
                 *       "chainID": 534352,
                 *       "nodeURLs": [
                 *         "https://node.example/key"
                 *       ],
                 *       "coin": "ETH",
                 *       "explorer": "https://scrollscan.com"
                 *     }
                 */
                "application/json": {
                    /** @description the name by which commands and settings know the network */
                    name: string;
                    /** @description the name that payers see */
                    title: string;
                    /** @description the EIP-155 chain id, which every node must report */
                    chainID: number;
                    /** @description the URLs of the nodes; they are stored encrypted */
                    nodeURLs: string[];
                    /** @description the symbol of the coin */
                    coin: string;
                    /** @description the URL of a block explorer */
                    explorer: string;
                    /** @description the name of the coin; default: its symbol */
                    coinName?: string;
                    /** @description the name of the explorer; default: its host */
                    explorerName?: string;
                    /** @description the URL of a node for the wallets of payers, who see it; default: none */
                    walletRPC?: string;
                    /** @description three numbers of blocks: for deposits up to 100 USD, up to 10,000 USD, and above */
                    confirmations?: number[];
                    /** @description the smallest deposit, in the coin */
                    minimum?: string;
                    /** @description deposits above are quarantined, in the coin */
                    depositMax?: string;
                    /** @description the highest fee for one unit of gas, in gwei */
                    maxFee?: string;
                    /** @description the lowest priority fee for one unit of gas, in gwei */
                    minTip?: string;
                    /** @description the highest priority fee for one unit of gas, in gwei */
                    maxTip?: string;
                    /** @description default: as the nodes show */
                    feeModel?: string;
                    /** @description the destination of treasury withdrawals; default: none */
                    coldAddress?: string;
                    /** @description what the transactions of a merchant may cost in 24 h beyond the fees it pays, in the coin; default: 500 times the smallest deposit */
                    gasBudget?: string;
                    /** @description the usual fee of a payment in USD */
                    typicalFee?: string;
                    /** @description contracts that present the coin as a token */
                    mirrors?: string[];
                    /** @description whether the price of the coin hardly moves */
                    isStable?: boolean;
                    /** @description whether merchants may credit payments in the coin that an invoice does not offer */
                    isCreditable?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                     *       "findings": [
                     *         {
                     *           "node": "node.example",
                     *           "name": "decimals",
                     *           "text": "6",
                     *           "level": "ok"
                     *         }
                     *       ],
                     *       "entry": {
                     *         "number": 1,
                     *         "text": "{\"format\":\"coffer/own-row/1\",\"serial\":4,\"previous\":\"5d41402abc4b2a76b9719d911017c592\"}",
                     *         "nodes": "AZ8kq0vV2JmXcQ"
                     *       },
                     *       "canSignHere": true,
                     *       "policyLines": [
                     *         "\"scroll\": { \"chainId\": 534352 }"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EntryProposal"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    proposeToken: {
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
                 *       "network": "base",
                 *       "contract": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
                 *       "decimals": 6
                 *     }
                 */
                "application/json": {
                    /** @description the name of an EVM network that this server follows */
                    network: string;
                    /** @description the address of the contract */
                    contract: string;
                    /** @description the number of decimals as the issuer’s own page states it; the contract must say the same */
                    decimals: number;
                    /** @description default: as the contract says */
                    symbol?: string;
                    /** @description default: as the contract says */
                    name?: string;
                    /** @description the smallest deposit, in the token */
                    minimum?: string;
                    /** @description deposits above are quarantined, in the token */
                    depositMax?: string;
                    /** @description whether the price of the token hardly moves */
                    isStable?: boolean;
                    /** @description whether merchants may credit payments in the token that an invoice does not offer */
                    isCreditable?: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                     *       "findings": [
                     *         {
                     *           "node": "node.example",
                     *           "name": "decimals",
                     *           "text": "6",
                     *           "level": "ok"
                     *         }
                     *       ],
                     *       "entry": {
                     *         "number": 1,
                     *         "text": "{\"format\":\"coffer/own-row/1\",\"serial\":4,\"previous\":\"5d41402abc4b2a76b9719d911017c592\"}",
                     *         "nodes": "AZ8kq0vV2JmXcQ"
                     *       },
                     *       "canSignHere": true,
                     *       "policyLines": [
                     *         "\"scroll\": { \"chainId\": 534352 }"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EntryProposal"];
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
    proposeRowState: {
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
                 *       "kind": "token",
                 *       "name": "base/PYUSD",
                 *       "isEnabled": false
                 *     }
                 */
                "application/json": {
                    kind: components["schemas"]["OwnRowKind"];
                    /** @description the name of a network, or the network and the symbol of a token, such as base/PYUSD */
                    name: string;
                    isEnabled: boolean;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                     *       "findings": [
                     *         {
                     *           "node": "node.example",
                     *           "name": "decimals",
                     *           "text": "6",
                     *           "level": "ok"
                     *         }
                     *       ],
                     *       "entry": {
                     *         "number": 1,
                     *         "text": "{\"format\":\"coffer/own-row/1\",\"serial\":4,\"previous\":\"5d41402abc4b2a76b9719d911017c592\"}",
                     *         "nodes": "AZ8kq0vV2JmXcQ"
                     *       },
                     *       "canSignHere": true,
                     *       "policyLines": [
                     *         "\"scroll\": { \"chainId\": 534352 }"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EntryProposal"];
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
    checkOwnEntry: {
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
                 *       "text": "{\"format\":\"coffer/own-row/1\",\"serial\":4,\"previous\":\"5d41402abc4b2a76b9719d911017c592\"}"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description the text that was proposed, byte by byte
                     * @example {"format":"coffer/own-row/1","serial":4,"previous":"5d41402abc4b2a76b9719d911017c592"}
                     */
                    text: string;
                    /**
                     * @description the encrypted list of nodes that was proposed with a network
                     * @example AZ8kq0vV2JmXcQ
                     */
                    nodes?: string;
                };
            };
        };
        responses: {
            /** @description Done, without a body. */
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
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    addOwnEntry: {
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
                 *       "text": "{\"format\":\"coffer/own-row/1\",\"serial\":4,\"previous\":\"5d41402abc4b2a76b9719d911017c592\"}"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description the text that was proposed, byte by byte
                     * @example {"format":"coffer/own-row/1","serial":4,"previous":"5d41402abc4b2a76b9719d911017c592"}
                     */
                    text: string;
                    /**
                     * @description the encrypted list of nodes that was proposed with a network
                     * @example AZ8kq0vV2JmXcQ
                     */
                    nodes?: string;
                    /** @description the id of the key, a dot, and the Ed25519 signature of the text in base64url; only a sandbox signs by itself if it is absent */
                    signature?: string;
                };
            };
        };
        responses: {
            /** @description Created. */
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
                     *       "lastEntry": 1
                     *     }
                     */
                    "application/json": {
                        /** @description the number of the entry */
                        lastEntry: number;
                    };
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthenticated"];
            /** @description This credential does not permit the operation; or: Re-authentication is required. */
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
            413: components["responses"]["PayloadTooLarge"];
            414: components["responses"]["UriTooLong"];
            415: components["responses"]["UnsupportedMediaType"];
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
                     * @description default exact; short: 60 percent of the amount due; over: 130 percent
                     * @enum {string}
                     */
                    how?: "exact" | "short" | "over";
                };
            };
        };
        responses: {
            /** @description Created. */
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
                         * @description a decimal string: the amount that was sent
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
            /** @description The invoice does not offer this payment method; or: Not found. */
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
            /** @description The database does not answer; or: The server is not ready; or: The database query took too long; or: No fresh exchange rate is available; or: The server is overloaded. */
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
                     * @description default exact; short: 60 percent of the amount due; over: 130 percent
                     * @enum {string}
                     */
                    how?: "exact" | "short" | "over";
                };
            };
        };
        responses: {
            /** @description Created. */
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
                         * @description a decimal string: the amount that was sent
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
            /** @description The invoice does not offer this payment method; or: Not found. */
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
            /** @description The database does not answer; or: The server is not ready; or: The database query took too long; or: No fresh exchange rate is available; or: The server is overloaded. */
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
                    /** @description the EVM network of the dev chain; default ethereum */
                    network?: string;
                };
            };
        };
        responses: {
            /** @description Done, without a body. */
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
            /** @description The database does not answer; or: The server is not ready; or: The database query took too long; or: The server is overloaded. */
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
                    /** @description the EVM network of the dev chain; default ethereum */
                    network?: string;
                };
            };
        };
        responses: {
            /** @description Done, without a body. */
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
            /** @description The database does not answer; or: The server is not ready; or: The database query took too long; or: The server is overloaded. */
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
            /** @description Success. */
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
                     *           "internalTransfers": "immediate",
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
                 * @description The token that POST /weebhook/{merchantID} returned: it names the version of the configuration under which this was sent.
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
                 * @description The signature of Standard Webhooks; for 24 hours after a change of the secret there are two, separated by a space: of the new and of the former secret.
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
            /** @description The event was accepted; any 2xx status counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The webhook is no longer wanted; it is disabled. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
