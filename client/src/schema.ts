// Written by `npm run client:schema` from the OpenAPI document.

export interface paths {
  '/api/domains': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List domains
     * @description Requires a key with the scope `domains:read`.
     */
    get: operations['Domains_findPage'];
    put?: never;
    /**
     * Create a domain
     * @description Requires a key with the scope `domains:write`.
     */
    post: operations['Domains_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/domains/{domain_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a domain
     * @description Requires a key with the scope `domains:read`.
     */
    get: operations['Domains_find'];
    put?: never;
    /**
     * Update a domain
     * @description Requires a key with the scope `domains:write`.
     */
    post: operations['Domains_update'];
    /**
     * Delete a domain
     * @description Requires a key with the scope `domains:write`.
     */
    delete: operations['Domains_delete'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/domains/{domain_id}/settings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the settings of a domain
     * @description Requires a key with the scope `domains:read`.
     */
    get: operations['Domains_findSettings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/domains/{domain_id}/verification': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the verification of a domain
     * @description Requires a key with the scope `domains:read`.
     */
    get: operations['Verification_find'];
    put?: never;
    /**
     * Verify a domain
     * @description Requires a key with the scope `domains:write`.
     */
    post: operations['Verification_check'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handler': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List notification handlers
     * @description Requires a key with the scope `notification-handlers:read`.
     */
    get: operations['NotificationHandlers_findPage'];
    put?: never;
    /**
     * Create a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     */
    post: operations['NotificationHandlers_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handlers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List notification handlers
     * @description Requires a key with the scope `notification-handlers:read`.
     *
     *     Alias of `/api/notification-handler`.
     */
    get: operations['NotificationHandlers_findPage_alias1'];
    put?: never;
    /**
     * Create a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     *
     *     Alias of `/api/notification-handler`.
     */
    post: operations['NotificationHandlers_create_alias1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handler/{notification_handler_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a notification handler
     * @description Requires a key with the scope `notification-handlers:read`.
     */
    get: operations['NotificationHandlers_find'];
    put?: never;
    /**
     * Update a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     */
    post: operations['NotificationHandlers_update'];
    /**
     * Delete a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     */
    delete: operations['NotificationHandlers_delete'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handlers/{notification_handler_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a notification handler
     * @description Requires a key with the scope `notification-handlers:read`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}`.
     */
    get: operations['NotificationHandlers_find_alias1'];
    put?: never;
    /**
     * Update a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}`.
     */
    post: operations['NotificationHandlers_update_alias1'];
    /**
     * Delete a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}`.
     */
    delete: operations['NotificationHandlers_delete_alias1'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handler/{notification_handler_id}/signing-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the signing secret of a webhook
     * @description Requires a key with the scope `secrets:read`.
     */
    get: operations['NotificationHandlers_findSecret'];
    put?: never;
    /**
     * Replace the signing secret of a webhook
     * @description Requires a key with the scopes `secrets:read` and `notification-handlers:write`.
     */
    post: operations['NotificationHandlers_replaceSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handlers/{notification_handler_id}/signing-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the signing secret of a webhook
     * @description Requires a key with the scope `secrets:read`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/signing-secret`.
     */
    get: operations['NotificationHandlers_findSecret_alias1'];
    put?: never;
    /**
     * Replace the signing secret of a webhook
     * @description Requires a key with the scopes `secrets:read` and `notification-handlers:write`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/signing-secret`.
     */
    post: operations['NotificationHandlers_replaceSecret_alias1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notifications': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List notifications
     * @description Requires a key with the scope `notifications:read`.
     */
    get: operations['Notifications_findPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notifications/{notification_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a notification
     * @description Requires a key with the scope `notifications:read`.
     */
    get: operations['Notifications_find'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/scheduling': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read scheduling records
     * @description Returns every record that matches the filters, or one page when `page` or `results_per_page` is given.
     *     With the collection's id parameter, returns that record; only `api` may be sent with it.
     *
     *     Requires a key with the scope `scheduling:read`.
     */
    get: operations['Scheduling_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check liveness
     * @description No key required.
     */
    get: operations['Health_live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Check readiness
     * @description No key required.
     */
    get: operations['Health_ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List keys that are not revoked
     * @description Requires a key with the scope `keys:write`.
     */
    get: operations['ApiKeys_findPage'];
    put?: never;
    /**
     * Create a key
     * @description The only response that shows the key.
     *
     *     Requires a key with the scope `keys:write`.
     */
    post: operations['ApiKeys_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/keys/current': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the key of this request
     * @description Requires a key, whatever its scopes.
     */
    get: operations['ApiKeys_findCurrent'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/keys/{key_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Revoke a key
     * @description It stops working within a second, in every process.
     *
     *     Requires a key with the scope `keys:write`.
     */
    delete: operations['ApiKeys_revoke'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List messages
     * @description Requires a key with the scope `messages:read`.
     */
    get: operations['Messages_findPage'];
    put?: never;
    /**
     * Send a message
     * @description A form value may have at most 16384 bytes.
     *
     *     Requires a key with the scope `messages:write`.
     */
    post: operations['Messages_create'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/messages/{message_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a message
     * @description Requires a key with the scope `messages:read`.
     */
    get: operations['Messages_find'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/messages/{message_id}/cancellation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a message
     * @description Requires a key with the scope `messages:write`.
     */
    post: operations['Messages_cancel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/messages/{message_id}/acknowledgement': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Acknowledge a message
     * @description Requires a key with the scope `messages:write`.
     */
    post: operations['Messages_acknowledge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/deliveries': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List deliveries
     * @description Requires a key with the scope `messages:read`.
     */
    get: operations['Deliveries_findPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/deliveries/statistics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count deliveries by hour or day
     * @description Requires a key with the scope `messages:read`.
     */
    get: operations['Deliveries_count'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/deliveries/{delivery_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a delivery with its attempts
     * @description Requires a key with the scope `messages:read`.
     */
    get: operations['Deliveries_find'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/deliveries/{delivery_id}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retry a failed delivery
     * @description Requires a key with the scope `messages:write`.
     */
    post: operations['Deliveries_retry'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/deliveries/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retry failed deliveries
     * @description Retries up to 1,000 failed deliveries that match every field; at least one field is required.
     *
     *     Requires a key with the scope `messages:write`.
     */
    post: operations['Deliveries_retryMatching'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handler/{notification_handler_id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Test a notification handler
     * @description Requires a key with the scope `messages:write`.
     */
    post: operations['HandlerTests_test'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handlers/{notification_handler_id}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Test a notification handler
     * @description Requires a key with the scope `messages:write`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/test`.
     */
    post: operations['HandlerTests_test_alias1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read events
     * @description Changes in order, without gaps: follow `meta.next`. A key sees the events of the records that it may read.
     *
     *     Requires a key with the scope `events:read`.
     */
    get: operations['Events_read'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handler/{notification_handler_id}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the event types of a notification handler
     * @description Requires a key with the scope `notification-handlers:read`.
     */
    get: operations['HandlerEvents_find'];
    put?: never;
    /**
     * Set the event types of a notification handler
     * @description Requires a key with the scopes `notification-handlers:write` and `events:read`.
     */
    post: operations['HandlerEvents_set'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handlers/{notification_handler_id}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the event types of a notification handler
     * @description Requires a key with the scope `notification-handlers:read`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/events`.
     */
    get: operations['HandlerEvents_find_alias1'];
    put?: never;
    /**
     * Set the event types of a notification handler
     * @description Requires a key with the scopes `notification-handlers:write` and `events:read`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/events`.
     */
    post: operations['HandlerEvents_set_alias1'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handler/{notification_handler_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the replay of a notification handler
     * @description Requires a key with the scope `notification-handlers:read`.
     */
    get: operations['Replays_find'];
    put?: never;
    /**
     * Send a notification handler its events in a time range again
     * @description Sends events of the handler’s types again, in order, while new ones are sent, too. Webhooks have the same `webhook-id` as before.
     *
     *     Requires a key with the scopes `notification-handlers:write` and `events:read`.
     */
    post: operations['Replays_start'];
    /**
     * End the replay of a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     */
    delete: operations['Replays_end'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/notification-handlers/{notification_handler_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the replay of a notification handler
     * @description Requires a key with the scope `notification-handlers:read`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/replay`.
     */
    get: operations['Replays_find_alias1'];
    put?: never;
    /**
     * Send a notification handler its events in a time range again
     * @description Sends events of the handler’s types again, in order, while new ones are sent, too. Webhooks have the same `webhook-id` as before.
     *
     *     Requires a key with the scopes `notification-handlers:write` and `events:read`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/replay`.
     */
    post: operations['Replays_start_alias1'];
    /**
     * End the replay of a notification handler
     * @description Requires a key with the scope `notification-handlers:write`.
     *
     *     Alias of `/api/notification-handler/{notification_handler_id}/replay`.
     */
    delete: operations['Replays_end_alias1'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    DomainProblem: {
      /**
       * @example target_differs
       * @enum {string}
       */
      code:
        | 'txt_missing'
        | 'txt_differs'
        | 'target_missing'
        | 'target_differs'
        | 'dns_unreachable'
        | 'certificate_missing'
        | 'certificate_differs'
        | 'certificate_expiring';
      /** @example Set a CNAME record at www.example.com with the value edge.example.net; www.example.com points elsewhere. */
      detail: string;
    };
    DomainState: {
      /**
       * @description Only a verified domain is served.
       * @example verified
       * @enum {string}
       */
      status: 'pending' | 'verified' | 'failed';
      /**
       * @description Whether the domain was verified under this host, but is no longer, and is pending again.
       * @example false
       */
      lost: boolean;
      /**
       * @description When its DNS records were last looked up, in UTC; null before the first time.
       * @example 2026-11-21 14:05:09
       */
      checked: string | null;
      /**
       * @description When its DNS records are next looked up, in UTC; null when failed, and until the first lookup is scheduled.
       * @example 2026-11-22 14:05:09
       */
      next_check: string | null;
      /** @description Problems that the last check found; empty before the first. */
      problems: components['schemas']['DomainProblem'][];
    };
    ListedDomain: {
      /** @example 7 */
      id: number;
      /** @example https:// */
      scheme: string;
      /** @example www.example.com */
      host: string;
      /**
       * @description Empty when not set.
       * @example https://example.com/welcome
       */
      custom_index_url: string;
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      /**
       * @description With `include=verification`.
       * @example {
       *       "status": "verified",
       *       "lost": false,
       *       "checked": "2026-11-21 14:05:09",
       *       "next_check": "2026-11-22 14:05:09",
       *       "problems": []
       *     }
       */
      verification?: components['schemas']['DomainState'];
    };
    PageMeta: {
      /** @example 1 */
      page: number;
      /** @example 25 */
      results_per_page: number;
      /** @example 1 */
      total: number;
      /** @example 1 */
      total_pages: number;
    };
    PageLinks: {
      /**
       * Format: uri
       * @example https://frontdesk.example.com/api/domains?&page=1
       */
      first: string;
      /**
       * Format: uri
       * @example https://frontdesk.example.com/api/domains?&page=1
       */
      last: string;
      /**
       * Format: uri
       * @example null
       */
      next: string | null;
      /**
       * Format: uri
       * @example null
       */
      prev: string | null;
      /**
       * Format: uri
       * @example https://frontdesk.example.com/api/domains?&page=1
       */
      self: string;
    };
    DomainRecord: {
      /** @example 7 */
      id: number;
      /** @example https:// */
      scheme: string;
      /** @example www.example.com */
      host: string;
      /**
       * @description Empty when not set.
       * @example https://example.com/welcome
       */
      custom_index_url: string;
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    DomainSettings: {
      /**
       * @description URL that the bare domain redirects to; empty when not set.
       * @example https://example.com/welcome
       */
      custom_index_url: string;
      /**
       * @description URL that unknown paths redirect to; empty when not set.
       * @example https://example.com/lost
       */
      custom_not_found_url: string;
    };
    CreateDomain: {
      /**
       * @description Host name; unique across all accounts. Must be a host name of two labels or more and at most 253 characters, without a scheme, port, path, IP address or underscore.
       * @example www.example.com
       */
      host: string;
      /**
       * @description URL scheme prefix. A new domain defaults to https://. Must be one of https://, http://.
       * @example https://
       * @enum {string}
       */
      scheme?: 'https://' | 'http://';
      /**
       * @description URL that the bare domain redirects to. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password.
       * @example https://example.com/page
       * @example
       */
      custom_index_url?: string;
      /**
       * @description URL that unknown paths redirect to. Not returned in the record. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password.
       * @example https://example.com/page
       * @example
       */
      custom_not_found_url?: string;
    };
    UpdateDomain: {
      /**
       * @description Host name; unique across all accounts. Must be a host name of two labels or more and at most 253 characters, without a scheme, port, path, IP address or underscore.
       * @example www.example.com
       */
      host?: string;
      /**
       * @description URL scheme prefix. A new domain defaults to https://. Must be one of https://, http://.
       * @example https://
       * @enum {string}
       */
      scheme?: 'https://' | 'http://';
      /**
       * @description URL that the bare domain redirects to. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password.
       * @example https://example.com/page
       * @example
       */
      custom_index_url?: string;
      /**
       * @description URL that unknown paths redirect to. Not returned in the record. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password.
       * @example https://example.com/page
       * @example
       */
      custom_not_found_url?: string;
    };
    CertificateRecord: {
      /**
       * @description The issuer’s organization and common name.
       * @example Let’s Encrypt, R13
       */
      issuer: string;
      /**
       * @description When it expires, in UTC.
       * @example 2026-11-21 14:05:09
       */
      expires: string;
    };
    DnsRecord: {
      /**
       * @example TXT
       * @enum {string}
       */
      type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
      /**
       * @description Absolute, without a trailing dot.
       * @example _frontdesk.www.example.com
       */
      name: string;
      /**
       * @description Without quotes.
       * @example frontdesk=k5x3q7wz2mbn4vha6ytr5jdp3fgs7ceu
       */
      value: string;
    };
    VerificationRecord: {
      /**
       * @description Only a verified domain is served.
       * @example verified
       * @enum {string}
       */
      status: 'pending' | 'verified' | 'failed';
      /**
       * @description When its DNS records were last looked up, in UTC; null before the first time.
       * @example 2026-11-21 14:05:09
       */
      checked: string | null;
      /**
       * @description When its DNS records are next looked up, in UTC; null when failed.
       * @example 2026-11-22 14:05:09
       */
      next_check: string | null;
      /** @description DNS records to set: a TXT record to verify the domain, the others to point it here. */
      records: components['schemas']['DnsRecord'][];
      /** @description Problems that the last check found; empty before the first. Only the TXT record decides the status: `target_…` and `certificate_…` are for its owner, or the operator, to fix. */
      problems: components['schemas']['DomainProblem'][];
      /** @description The certificate that visitors get; null if there is none, or while the domain isn’t verified or doesn’t point here. */
      certificate: components['schemas']['CertificateRecord'] | null;
    };
    NotificationHandlerRecord:
      | components['schemas']['NotificationHandlerRecordEmail']
      | components['schemas']['NotificationHandlerRecordWebhook']
      | components['schemas']['NotificationHandlerRecordSlack']
      | components['schemas']['NotificationHandlerRecordDiscord']
      | components['schemas']['NotificationHandlerRecordTelegram']
      | components['schemas']['NotificationHandlerRecordMicrosoftTeams']
      | components['schemas']['NotificationHandlerRecordTwilio']
      | components['schemas']['NotificationHandlerRecordTwilioCall']
      | components['schemas']['NotificationHandlerRecordWhatsapp'];
    CreateNotificationHandler:
      | components['schemas']['CreateNotificationHandlerEmail']
      | components['schemas']['CreateNotificationHandlerWebhook']
      | components['schemas']['CreateNotificationHandlerSlack']
      | components['schemas']['CreateNotificationHandlerDiscord']
      | components['schemas']['CreateNotificationHandlerTelegram']
      | components['schemas']['CreateNotificationHandlerMicrosoftTeams']
      | components['schemas']['CreateNotificationHandlerTwilio']
      | components['schemas']['CreateNotificationHandlerTwilioCall']
      | components['schemas']['CreateNotificationHandlerWhatsapp'];
    UpdateNotificationHandler:
      | components['schemas']['UpdateNotificationHandlerEmail']
      | components['schemas']['UpdateNotificationHandlerWebhook']
      | components['schemas']['UpdateNotificationHandlerSlack']
      | components['schemas']['UpdateNotificationHandlerDiscord']
      | components['schemas']['UpdateNotificationHandlerTelegram']
      | components['schemas']['UpdateNotificationHandlerMicrosoftTeams']
      | components['schemas']['UpdateNotificationHandlerTwilio']
      | components['schemas']['UpdateNotificationHandlerTwilioCall']
      | components['schemas']['UpdateNotificationHandlerWhatsapp'];
    SigningSecretRecord: {
      /**
       * @description Signs the requests of the webhook as [Standard Webhooks](https://www.standardwebhooks.com) describes. Created on first use. A replaced secret keeps signing for 24 hours beside the new one; at most three sign.
       * @example whsec_ZnJvbnRkZXNrLWV4YW1wbGUtc2lnbmluZy1zZWNyZXQ=
       */
      secret: string;
    };
    NotificationRecord: {
      /** @example 7 */
      id: number;
      /**
       * @description Campaign that the notification belongs to.
       * @example 3
       */
      campaign_id: number;
      /**
       * @description 32 hexadecimal characters.
       * @example 8f14e45fceea167a5a36dedd4bea2543
       */
      notification_key: string;
      /** @example Weekend offer */
      name: string;
      /**
       * @description A code in upper case with underscores.
       * @example INFORMATIONAL
       */
      type: string;
      /**
       * @example {
       *       "title": "Weekend offer",
       *       "display_duration": 5
       *     }
       */
      settings: {
        [key: string]: unknown;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    ApiKeyRecord: {
      /** @example 3 */
      id: number;
      /** @example website */
      name: string;
      /**
       * @description `["*"]` for all, including those of later versions, but not `keys:write`.
       * @example [
       *       "domains:read",
       *       "messages:read"
       *     ]
       */
      scopes: string[];
      /**
       * @description When it expires, in UTC; null for never.
       * @example 2027-02-19 14:05:09
       */
      expires: string | null;
      /**
       * @description Last use, in UTC, updated at most once a minute; null before the first.
       * @example 2026-11-21 14:05:09
       */
      last_used: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    CurrentApiKey: {
      /** @example 3 */
      id: number;
      /** @example website */
      name: string;
      /**
       * @description `["*"]` for all, including those of later versions, but not `keys:write`.
       * @example [
       *       "domains:read",
       *       "messages:read"
       *     ]
       */
      scopes: string[];
      /**
       * @description When it expires, in UTC; null for never.
       * @example 2027-02-19 14:05:09
       */
      expires: string | null;
      /**
       * @description Last use, in UTC, updated at most once a minute; null before the first.
       * @example 2026-11-21 14:05:09
       */
      last_used: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      /**
       * @description Name of the account.
       * @example acme
       */
      account: string;
    };
    NewApiKey: {
      /** @example 3 */
      id: number;
      /**
       * @description The key, which can’t be read again.
       * @example fd_…
       */
      key: string;
    };
    CreateApiKey: {
      /**
       * @description What the key is for. Must be 1 to 128 characters, none of them a control character.
       * @example website
       */
      name: string;
      /**
       * @description Defaults to the scopes of the key that creates it, and may include only those; never `keys:write`. Must be comma-separated scopes, such as domains:read,messages:read.
       * @example domains:read,messages:read
       */
      scopes?: string;
      /**
       * @description When the key expires: by default, and at the latest, with the key that creates it. Must be a number of 1 or more and a unit, s, m, h or d, such as 90d; at most 36500d.
       * @example 90d
       */
      expires?: string;
    };
    MessageRecord: {
      /** @example 7 */
      id: number;
      /**
       * @description Empty when not set.
       * @example Backup failed
       */
      title: string;
      /** @example The backup of 3 a.m. failed. */
      text: string;
      /**
       * @description Empty when not set.
       * @example https://status.example.com/backups
       */
      url: string;
      /**
       * @description Number of deliveries, by status.
       * @example {
       *       "pending": 1,
       *       "delivered": 2,
       *       "failed": 0,
       *       "cancelled": 0
       *     }
       */
      deliveries?: {
        pending: number;
        delivered: number;
        failed: number;
        cancelled: number;
      };
      /**
       * @description When the message is sent, in UTC; null if it was sent at once.
       * @example null
       */
      send_at: string | null;
      /**
       * @description When the message expires, in UTC; null if never.
       * @example null
       */
      expires_at: string | null;
      /**
       * @description What the message waits for; null if it does not wait.
       * @example null
       * @enum {string|null}
       */
      until: 'delivered' | 'acknowledged' | null;
      /**
       * @description The first acknowledgement; null until there is one.
       * @example null
       */
      acknowledged?: {
        /** @description In UTC. */
        datetime: string;
        /** @description The delivery whose link was used; null for a key or the command line. */
        delivery_id: number | null;
      } | null;
      /**
       * @description Later messages with the same `dedup_key`, which were not created.
       * @example 0
       */
      repeats: number;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    CreateMessage: {
      /**
       * @description Text of the message. Must be 1 to 4000 characters; line feeds and tabs are the only control characters accepted.
       * @example The backup of 3 a.m. failed.
       */
      text: string;
      /**
       * @description Heading, or the subject of a mail. Must be at most 200 characters in one line, none of them a control character.
       * @example Backup failed
       */
      title?: string;
      /**
       * @description Link below the text. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password.
       * @example https://example.com/page
       * @example
       */
      url?: string;
      /**
       * @description Handlers to deliver through; defaults to every enabled handler of the account. Must be 1 to 100 ids of this account's enabled notification handlers, each once: comma-separated; an array of integers in JSON, or a repeated field in a form, is accepted, too.
       * @example 1,2
       * @example [
       *       1,
       *       2
       *     ]
       */
      handler_ids?: string | number | number[];
      /**
       * @description When to send the message, at most 90 days ahead; a time in the past means now. Must be a time YYYY-MM-DD HH:MM:SS in UTC, or an RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00.
       * @example 2026-11-21 14:30:00
       * @example 2026-11-21T14:30:00+01:00
       */
      send_at?: string;
      /**
       * @description When to give up: deliveries that are pending at that time fail. Must be in the future, and after `send_at`. Must be a time YYYY-MM-DD HH:MM:SS in UTC, or an RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00.
       * @example 2026-11-21 14:30:00
       * @example 2026-11-21T14:30:00+01:00
       */
      expires_at?: string;
      /**
       * @description More handlers, with the seconds after which they get the message unless `until` has ended its wait. Must be 1 to 5 steps with semicolons between, such as 300:4,5;900:6: each the seconds after the beginning, from 10 to 604800 and rising, a colon, and handlers as in handler_ids; at most 1,000 deliveries in all.
       * @example 300:4,5;900:6
       */
      steps?: string;
      /**
       * @description What cancels the deliveries that are still pending. `delivered`: a delivery of an earlier step got through; needs `steps`. `acknowledged`: somebody used the link in a delivery, or `POST /api/messages/{message_id}/acknowledgement`; the default with `steps`. Must be one of delivered, acknowledged.
       * @example delivered
       * @enum {string}
       */
      until?: 'delivered' | 'acknowledged';
      /**
       * @description A second message with this key within `dedup_seconds` is not created: 200 with the id of the first. Must be 1 to 255 visible ASCII characters, without a space.
       * @example backup-nightly
       */
      dedup_key?: string;
      /**
       * @description How long the key applies after the first message; 300 by default. Needs a `dedup_key`. Must be an integer from 1 to 86400, in digits.
       * @example 300
       */
      dedup_seconds?: number;
    };
    CancellationCounts: {
      /**
       * @description Deliveries that this request cancelled.
       * @example 2
       */
      cancelled: number;
      /**
       * @description Deliveries with an attempt in progress, which is the last: if it fails, the delivery is cancelled.
       * @example 1
       */
      at_work: number;
      /**
       * @description Deliveries that were already delivered, failed or cancelled.
       * @example 0
       */
      finished: number;
    };
    Acknowledgement: {
      /**
       * @description When somebody first acknowledged the message, in UTC.
       * @example 2026-11-21 14:05:09
       */
      acknowledged: string;
      /**
       * @description Deliveries that this request cancelled.
       * @example 2
       */
      cancelled: number;
      /**
       * @description Deliveries with an attempt in progress, which is the last: if it fails, the delivery is cancelled.
       * @example 1
       */
      at_work: number;
    };
    DeliveryRecord: {
      /** @example 7 */
      id: number;
      /** @example 3 */
      message_id: number;
      /**
       * @description The handler may have been deleted since.
       * @example 2
       */
      handler_id: number;
      /**
       * @description 0 for the first step, which goes to `handler_ids`; later steps count from 1.
       * @example 0
       */
      step: number;
      /**
       * @description The handler’s type when the message was created.
       * @example webhook
       */
      type: string;
      /**
       * @example delivered
       * @enum {string}
       */
      status: 'pending' | 'delivered' | 'failed' | 'cancelled';
      /**
       * @description Outcome of the last attempt that has ended; null before the first.
       * @example delivered
       * @enum {string|null}
       */
      outcome:
        | 'delivered'
        | 'rejected'
        | 'server_error'
        | 'rate_limited'
        | 'timeout'
        | 'unreachable'
        | 'tls_error'
        | 'blocked_address'
        | 'not_configured'
        | 'operator_error'
        | 'daily_limit'
        | 'expired'
        | 'unknown'
        | 'internal_error'
        | null;
      /**
       * @description Number of attempts so far.
       * @example 1
       */
      attempts: number;
      /**
       * @description When the next attempt is due, in UTC; null once finished.
       * @example null
       */
      next_attempt: string | null;
      /**
       * @description Twilio’s status of a text message, a call or a WhatsApp message; null before the first report, and for other types.
       * @example null
       */
      receipt?: {
        /**
         * @description The most advanced status reported so far.
         * @enum {string}
         */
        status:
          | 'queued'
          | 'sending'
          | 'sent'
          | 'delivered'
          | 'undelivered'
          | 'failed'
          | 'read'
          | 'ringing'
          | 'in-progress'
          | 'completed'
          | 'busy'
          | 'no-answer'
          | 'canceled';
        /** @description Twilio’s error code. */
        code: number | null;
        /** @description When Twilio reported it, in UTC. */
        datetime: string;
      } | null;
      /**
       * @description Time of the last change, in UTC; null before the first.
       * @example 2026-11-21 14:05:10
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    StatisticsBucket: {
      /**
       * @description Start of the hour or day, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      /**
       * @description Numbers of deliveries, in the order of `keys`.
       * @example [
       *       0,
       *       41,
       *       1,
       *       0
       *     ]
       */
      counts: number[];
    };
    DeliveryStatistics: {
      /**
       * @description Start of the first bucket, in UTC.
       * @example 2026-11-21 14:05:09
       */
      from: string;
      /**
       * @description End of the last bucket, in UTC.
       * @example 2026-11-21 14:05:09
       */
      until: string;
      /**
       * @example hour
       * @enum {string}
       */
      interval: 'hour' | 'day';
      /**
       * @example status
       * @enum {string}
       */
      group: 'status' | 'outcome' | 'handler';
      /**
       * @description All statuses, or the outcomes or handler ids that occur. The outcome `none` stands for deliveries without an ended attempt.
       * @example [
       *       "pending",
       *       "delivered",
       *       "failed",
       *       "cancelled"
       *     ]
       */
      keys: string[];
      /** @description Deliveries by creation time; empty buckets are included. */
      buckets: components['schemas']['StatisticsBucket'][];
    };
    AttemptRecord: {
      /**
       * @description Counts from 1. The entry for an expiry has the number of the last attempt, or 0 if there was none.
       * @example 1
       */
      number: number;
      /**
       * @description When the attempt started, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      /**
       * @description Duration, in milliseconds.
       * @example 84
       */
      duration_ms: number;
      /**
       * @description How the attempt ended. `operator_error`: the operator of this service has to act. `internal_error`: a bug in this service, which is logged.
       * @example delivered
       * @enum {string}
       */
      outcome:
        | 'delivered'
        | 'rejected'
        | 'server_error'
        | 'rate_limited'
        | 'timeout'
        | 'unreachable'
        | 'tls_error'
        | 'blocked_address'
        | 'not_configured'
        | 'operator_error'
        | 'daily_limit'
        | 'expired'
        | 'unknown'
        | 'internal_error';
      /**
       * @description The receiver’s status code; null without an answer.
       * @example 200
       */
      status: number | null;
      /**
       * @description What happened, in a sentence.
       * @example The receiver answered 200.
       */
      detail: string;
    };
    DeliveryWithLog: {
      /** @example 7 */
      id: number;
      /** @example 3 */
      message_id: number;
      /**
       * @description The handler may have been deleted since.
       * @example 2
       */
      handler_id: number;
      /**
       * @description 0 for the first step, which goes to `handler_ids`; later steps count from 1.
       * @example 0
       */
      step: number;
      /**
       * @description The handler’s type when the message was created.
       * @example webhook
       */
      type: string;
      /**
       * @example delivered
       * @enum {string}
       */
      status: 'pending' | 'delivered' | 'failed' | 'cancelled';
      /**
       * @description Outcome of the last attempt that has ended; null before the first.
       * @example delivered
       * @enum {string|null}
       */
      outcome:
        | 'delivered'
        | 'rejected'
        | 'server_error'
        | 'rate_limited'
        | 'timeout'
        | 'unreachable'
        | 'tls_error'
        | 'blocked_address'
        | 'not_configured'
        | 'operator_error'
        | 'daily_limit'
        | 'expired'
        | 'unknown'
        | 'internal_error'
        | null;
      /**
       * @description Number of attempts so far.
       * @example 1
       */
      attempts: number;
      /**
       * @description When the next attempt is due, in UTC; null once finished.
       * @example null
       */
      next_attempt: string | null;
      /**
       * @description Twilio’s status of a text message, a call or a WhatsApp message; null before the first report, and for other types.
       * @example null
       */
      receipt?: {
        /**
         * @description The most advanced status reported so far.
         * @enum {string}
         */
        status:
          | 'queued'
          | 'sending'
          | 'sent'
          | 'delivered'
          | 'undelivered'
          | 'failed'
          | 'read'
          | 'ringing'
          | 'in-progress'
          | 'completed'
          | 'busy'
          | 'no-answer'
          | 'canceled';
        /** @description Twilio’s error code. */
        code: number | null;
        /** @description When Twilio reported it, in UTC. */
        datetime: string;
      } | null;
      /**
       * @description Time of the last change, in UTC; null before the first.
       * @example 2026-11-21 14:05:10
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      /** @description The attempts that have ended, newest last. */
      log: components['schemas']['AttemptRecord'][];
    };
    RetryCounts: {
      /**
       * @description Deliveries that were made due again; at most 1,000.
       * @example 12
       */
      retried: number;
      /**
       * @description Matching deliveries that can’t be retried: they have expired or are no longer needed, or their handler is deleted, disabled or of another type now. At most 1,000 together with `retried`.
       * @example 1
       */
      skipped: number;
    };
    RetryDeliveries: {
      /**
       * @description Only records with this value. Must be an id, in digits.
       * @example 7
       */
      message_id?: number;
      /**
       * @description Only records with this value. Must be an id, in digits.
       * @example 7
       */
      handler_id?: number;
      /**
       * @description Only records with this value. Must be the number of a step, in digits.
       * @example 0
       */
      step?: number;
      /**
       * @description Only records with this value. Must be one of pending, delivered, failed, cancelled.
       * @example failed
       * @enum {string}
       */
      status?: 'pending' | 'delivered' | 'failed' | 'cancelled';
      /**
       * @description Only records with this value. Must be one of delivered, rejected, server_error, rate_limited, timeout, unreachable, tls_error, blocked_address, not_configured, operator_error, daily_limit, expired, unknown, internal_error.
       * @example timeout
       * @enum {string}
       */
      outcome?:
        | 'delivered'
        | 'rejected'
        | 'server_error'
        | 'rate_limited'
        | 'timeout'
        | 'unreachable'
        | 'tls_error'
        | 'blocked_address'
        | 'not_configured'
        | 'operator_error'
        | 'daily_limit'
        | 'expired'
        | 'unknown'
        | 'internal_error';
      /**
       * @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00.
       * @example 2026-11-21
       * @example 2026-11-21T14:30:00+01:00
       */
      created_from?: string;
      /**
       * @description Only records created before this time. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00.
       * @example 2026-11-21
       * @example 2026-11-21T14:30:00+01:00
       */
      created_until?: string;
      /**
       * @description Only records created or changed at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00.
       * @example 2026-11-21
       * @example 2026-11-21T14:30:00+01:00
       */
      changed_since?: string;
    };
    EventRecord:
      | components['schemas']['EventRecordDeliveryCancelled']
      | components['schemas']['EventRecordDeliveryDelivered']
      | components['schemas']['EventRecordDeliveryFailed']
      | components['schemas']['EventRecordDeliveryReceipt']
      | components['schemas']['EventRecordDeliveryRetried']
      | components['schemas']['EventRecordDomainCertificate']
      | components['schemas']['EventRecordDomainCreated']
      | components['schemas']['EventRecordDomainDeleted']
      | components['schemas']['EventRecordDomainFailed']
      | components['schemas']['EventRecordDomainUnverified']
      | components['schemas']['EventRecordDomainUpdated']
      | components['schemas']['EventRecordDomainVerified']
      | components['schemas']['EventRecordImportCompleted']
      | components['schemas']['EventRecordKeyCreated']
      | components['schemas']['EventRecordKeyRevoked']
      | components['schemas']['EventRecordMessageAcknowledged']
      | components['schemas']['EventRecordMessageCancelled']
      | components['schemas']['EventRecordMessageCreated']
      | components['schemas']['EventRecordNotificationHandlerCreated']
      | components['schemas']['EventRecordNotificationHandlerDeleted']
      | components['schemas']['EventRecordNotificationHandlerUpdated'];
    EventPageMeta: {
      /**
       * @description Cursor for `after`.
       * @example M2Y5YzFhNTJlMC40NzEyLjAu
       */
      next: string;
      /**
       * @description Whether there are more events after `next`.
       * @example false
       */
      has_more: boolean;
    };
    HandlerEventsRecord: {
      /**
       * @description As set by the client.
       * @example [
       *       "domain.*",
       *       "delivery.failed"
       *     ]
       */
      types: string[];
    };
    SetHandlerEvents: {
      /**
       * @description Types of events to notify the handler of. Empty, the default, means none. Must be empty, or comma-separated event types without duplicates; <noun>.* for all of a noun.
       * @example domain.*,delivery.failed
       */
      types?: string;
    };
    ReplayRecord: {
      /**
       * @description Start, in UTC; for a cursor, the time of the first event after it.
       * @example 2026-11-21 14:05:09
       */
      from: string;
      /**
       * @description End, in UTC.
       * @example 2026-11-21 14:05:09
       */
      until: string;
      /**
       * @description Events sent so far.
       * @example 4000
       */
      sent: number;
      /**
       * @description Events of the handler’s types that are still to be sent.
       * @example 711
       */
      left: number;
      /**
       * @description When the replay continues, in UTC, if it has used up its share of the daily limit; otherwise null.
       * @example null
       */
      waits_until: string | null;
    };
    ReplayRange: {
      /**
       * @description Start, in UTC; for a cursor, the time of the first event after it.
       * @example 2026-11-21 14:05:09
       */
      from: string;
      /**
       * @description End, in UTC.
       * @example 2026-11-21 14:05:09
       */
      until: string;
    };
    StartReplay: {
      /**
       * @description Where to start: at this time, or after this cursor. Must be a time YYYY-MM-DD HH:MM:SS in UTC, or an RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00, or a cursor of the feed.
       * @example 2026-11-21 14:30:00
       * @example 2026-11-21T14:30:00+01:00
       */
      from: string;
      /**
       * @description Where to end: at this time, or before this cursor. By default, and at the latest, now. Must be a time YYYY-MM-DD HH:MM:SS in UTC, or an RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00, or a cursor of the feed.
       * @example 2026-11-21 14:30:00
       * @example 2026-11-21T14:30:00+01:00
       */
      until?: string;
      /**
       * @description Required for twilio, twilio_call and whatsapp, whose messages cost money. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      confirm?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    Errors: {
      errors: {
        /**
         * @description Request id.
         * @example b6f1a2b0-6c0e-4a53-9d0b-0f3f2f6c1c55
         */
        id: string;
        /**
         * @description The response status.
         * @example 400
         */
        status: number;
        /**
         * @description For an exception thrown by an extension, its own code, or the name of its status, such as `conflict`.
         * @example invalid_parameter
         */
        code:
          | (
              | 'missing_parameter'
              | 'invalid_parameter'
              | 'unknown_parameter'
              | 'malformed_request'
              | 'unauthenticated'
              | 'insufficient_scope'
              | 'invalid_signature'
              | 'not_found'
              | 'method_not_allowed'
              | 'request_timeout'
              | 'acknowledgement_not_requested'
              | 'delivery_expired'
              | 'delivery_not_failed'
              | 'delivery_obsolete'
              | 'handler_unavailable'
              | 'host_taken'
              | 'limit_reached'
              | 'public_url_missing'
              | 'replay_in_progress'
              | 'replay_unconfirmed'
              | 'idempotency_key_in_use'
              | 'cursor_expired'
              | 'precondition_failed'
              | 'payload_too_large'
              | 'unsupported_media_type'
              | 'idempotency_key_reused'
              | 'rate_limited'
              | 'internal_error'
              | 'unavailable'
            )
          | string;
        /** @example Invalid parameter */
        title: string;
        /**
         * @description What is accepted.
         * @example page must be an integer of 1 or more, in digits.
         */
        detail: string;
        /** @description The invalid input, if the error has one. */
        source?: {
          /**
           * @example query
           * @enum {string}
           */
          in: 'query' | 'path' | 'form' | 'header';
          /** @example page */
          name: string;
        };
      }[];
    };
    AgendamentosRecord: {
      /** @example 7 */
      agendamento_id: number;
      /** @example João da Silva */
      nome: string;
      /** @example (11) 98765-4321 */
      telefone: string;
      /**
       * @description In UTC.
       * @example 2026-11-21 14:05:09
       */
      data_hora: string;
      /**
       * @description Id of a record of servicos.
       * @example 3
       */
      servicos_id: number;
      /** @example Corte de cabelo */
      servico_nome: string;
      /**
       * @description Id of a record of atendentes.
       * @example 3
       */
      atendentes_id: number;
      /** @example Antônio Conceição */
      atendente_nome: string;
    };
    AtendentesRecord: {
      /** @example 7 */
      atendentes_id: number;
      /** @example Antônio Conceição */
      atendente_nome: string;
      /** @example Barbeiro */
      atendente_cargo: string;
      /** @example true */
      atendente_diponivel: boolean;
    };
    AtendenteservicoRecord: {
      /** @example 7 */
      atendenteservico_id: number;
      /**
       * @description Id of a record of atendentes.
       * @example 3
       */
      atendentes_id: number;
      /** @example Antônio Conceição */
      atendentes_nome: string;
      /**
       * @description Id of a record of servicos.
       * @example 3
       */
      servicos_id: number;
      /** @example Corte de cabelo */
      servico_nome: string;
    };
    HorariosRecord: {
      /** @example 7 */
      horarios_id: number;
      /** @example 14:30 */
      horario_id: string;
      /** @example true */
      horario_disponivel: boolean;
    };
    ServicosRecord: {
      /** @example 7 */
      servicos_id: number;
      /** @example Corte de cabelo */
      servico_nome: string;
    };
    NotificationHandlerRecordEmail: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'email';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "email": "ops@example.com"
       *     }
       */
      settings: {
        /**
         * @description An email address.
         * @example ops@example.com
         */
        email: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordWebhook: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'webhook';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "webhook": "https://example.com/page"
       *     }
       */
      settings: {
        /**
         * @description Webhook URL.
         * @example https://example.com/page
         */
        webhook: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordSlack: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'slack';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "slack": "https://example.com/page"
       *     }
       */
      settings: {
        /**
         * @description Slack webhook URL.
         * @example https://example.com/page
         */
        slack: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordDiscord: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'discord';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "discord": "https://example.com/page"
       *     }
       */
      settings: {
        /**
         * @description Discord webhook URL.
         * @example https://example.com/page
         */
        discord: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordTelegram: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'telegram';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "telegram": "123456789:an-example-token",
       *       "telegram_chat_id": "-1001234567890"
       *     }
       */
      settings: {
        /**
         * @description Telegram API token.
         * @example 123456789:an-example-token
         */
        telegram: string;
        /**
         * @description Telegram chat identifier.
         * @example -1001234567890
         */
        telegram_chat_id: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordMicrosoftTeams: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'microsoft_teams';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "microsoft_teams": "https://example.com/page"
       *     }
       */
      settings: {
        /**
         * @description Microsoft Teams webhook URL.
         * @example https://example.com/page
         */
        microsoft_teams: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordTwilio: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'twilio';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "twilio": "+5511987654321"
       *     }
       */
      settings: {
        /**
         * @description A phone number; stored in E.164 format.
         * @example +5511987654321
         */
        twilio: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordTwilioCall: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'twilio_call';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "twilio_call": "+5511987654321"
       *     }
       */
      settings: {
        /**
         * @description A phone number; stored in E.164 format.
         * @example +5511987654321
         */
        twilio_call: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    NotificationHandlerRecordWhatsapp: {
      /** @example 7 */
      id: number;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'whatsapp';
      /** @example Night shift */
      name: string;
      /**
       * @description The fields of the type. Without the scope secrets:read, secrets are masked.
       * @example {
       *       "whatsapp": "+5511987654321"
       *     }
       */
      settings: {
        /**
         * @description A phone number; stored in E.164 format.
         * @example +5511987654321
         */
        whatsapp: string;
      };
      /** @example true */
      is_enabled: boolean;
      /**
       * @description Time of the last update, in UTC; null before the first.
       * @example null
       */
      last_datetime: string | null;
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
    };
    CreateNotificationHandlerEmail: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'email';
      /**
       * @description An email address. For the type email. Must be empty, or an email address of at most 254 characters.
       * @example ops@example.com
       * @example
       */
      email?: string;
    };
    CreateNotificationHandlerWebhook: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'webhook';
      /**
       * @description Webhook URL. For the type webhook. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      webhook?: string;
    };
    CreateNotificationHandlerSlack: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'slack';
      /**
       * @description Slack webhook URL. For the type slack. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      slack?: string;
    };
    CreateNotificationHandlerDiscord: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'discord';
      /**
       * @description Discord webhook URL. For the type discord. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      discord?: string;
    };
    CreateNotificationHandlerTelegram: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'telegram';
      /**
       * @description Telegram API token. For the type telegram. Must be empty, or a Telegram API token: digits, a colon, then letters, digits, _ and -; a masked value can't be stored.
       * @example 123456789:an-example-token
       * @example
       */
      telegram?: string;
      /**
       * @description Telegram chat identifier. For the type telegram. Must be empty, or a Telegram chat identifier: digits with an optional minus before them, or @name.
       * @example -1001234567890
       * @example
       */
      telegram_chat_id?: string;
    };
    CreateNotificationHandlerMicrosoftTeams: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'microsoft_teams';
      /**
       * @description Microsoft Teams webhook URL. For the type microsoft_teams. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      microsoft_teams?: string;
    };
    CreateNotificationHandlerTwilio: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'twilio';
      /**
       * @description A phone number; stored in E.164 format. For the type twilio. Must be empty, or a phone number in international form, such as +55 11 98765-4321.
       * @example +5511987654321
       * @example
       */
      twilio?: string;
    };
    CreateNotificationHandlerTwilioCall: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'twilio_call';
      /**
       * @description A phone number; stored in E.164 format. For the type twilio_call. Must be empty, or a phone number in international form, such as +55 11 98765-4321.
       * @example +5511987654321
       * @example
       */
      twilio_call?: string;
    };
    CreateNotificationHandlerWhatsapp: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'whatsapp';
      /**
       * @description A phone number; stored in E.164 format. For the type whatsapp. Must be empty, or a phone number in international form, such as +55 11 98765-4321.
       * @example +5511987654321
       * @example
       */
      whatsapp?: string;
    };
    UpdateNotificationHandlerEmail: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example email
       * @enum {string}
       */
      type?: 'email';
      /**
       * @description An email address. For the type email. Must be empty, or an email address of at most 254 characters.
       * @example ops@example.com
       * @example
       */
      email?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerWebhook: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example webhook
       * @enum {string}
       */
      type?: 'webhook';
      /**
       * @description Webhook URL. For the type webhook. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      webhook?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerSlack: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example slack
       * @enum {string}
       */
      type?: 'slack';
      /**
       * @description Slack webhook URL. For the type slack. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      slack?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerDiscord: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example discord
       * @enum {string}
       */
      type?: 'discord';
      /**
       * @description Discord webhook URL. For the type discord. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      discord?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerTelegram: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example telegram
       * @enum {string}
       */
      type?: 'telegram';
      /**
       * @description Telegram API token. For the type telegram. Must be empty, or a Telegram API token: digits, a colon, then letters, digits, _ and -; a masked value can't be stored.
       * @example 123456789:an-example-token
       * @example
       */
      telegram?: string;
      /**
       * @description Telegram chat identifier. For the type telegram. Must be empty, or a Telegram chat identifier: digits with an optional minus before them, or @name.
       * @example -1001234567890
       * @example
       */
      telegram_chat_id?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerMicrosoftTeams: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example microsoft_teams
       * @enum {string}
       */
      type?: 'microsoft_teams';
      /**
       * @description Microsoft Teams webhook URL. For the type microsoft_teams. Must be empty, or an absolute http:// or https:// URL of at most 2048 characters, without a user name or password; a masked value can't be stored.
       * @example https://example.com/page
       * @example
       */
      microsoft_teams?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerTwilio: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example twilio
       * @enum {string}
       */
      type?: 'twilio';
      /**
       * @description A phone number; stored in E.164 format. For the type twilio. Must be empty, or a phone number in international form, such as +55 11 98765-4321.
       * @example +5511987654321
       * @example
       */
      twilio?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerTwilioCall: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example twilio_call
       * @enum {string}
       */
      type?: 'twilio_call';
      /**
       * @description A phone number; stored in E.164 format. For the type twilio_call. Must be empty, or a phone number in international form, such as +55 11 98765-4321.
       * @example +5511987654321
       * @example
       */
      twilio_call?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    UpdateNotificationHandlerWhatsapp: {
      /**
       * @description Display name. Must be 1 to 128 characters, none of them a control character.
       * @example Night shift
       */
      name?: string;
      /**
       * @example whatsapp
       * @enum {string}
       */
      type?: 'whatsapp';
      /**
       * @description A phone number; stored in E.164 format. For the type whatsapp. Must be empty, or a phone number in international form, such as +55 11 98765-4321.
       * @example +5511987654321
       * @example
       */
      whatsapp?: string;
      /**
       * @description Whether the handler is enabled. Must be one of 1, 0, true, false, in any case.
       * @example true
       */
      is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
    };
    EventRecordDeliveryCancelled: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'delivery.cancelled';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example delivery
         * @enum {string}
         */
        type: 'delivery';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example 3 */
        message_id: number;
        /**
         * @description The handler may have been deleted since.
         * @example 2
         */
        handler_id: number;
        /**
         * @description Outcome of the last attempt that has ended; null before the first.
         * @example delivered
         * @enum {string|null}
         */
        outcome:
          | 'delivered'
          | 'rejected'
          | 'server_error'
          | 'rate_limited'
          | 'timeout'
          | 'unreachable'
          | 'tls_error'
          | 'blocked_address'
          | 'not_configured'
          | 'operator_error'
          | 'daily_limit'
          | 'expired'
          | 'unknown'
          | 'internal_error'
          | null;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DeliveryWithLog'] | null;
    };
    EventRecordDeliveryDelivered: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'delivery.delivered';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example delivery
         * @enum {string}
         */
        type: 'delivery';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example 3 */
        message_id: number;
        /**
         * @description The handler may have been deleted since.
         * @example 2
         */
        handler_id: number;
        /**
         * @description Outcome of the last attempt that has ended; null before the first.
         * @example delivered
         * @enum {string|null}
         */
        outcome:
          | 'delivered'
          | 'rejected'
          | 'server_error'
          | 'rate_limited'
          | 'timeout'
          | 'unreachable'
          | 'tls_error'
          | 'blocked_address'
          | 'not_configured'
          | 'operator_error'
          | 'daily_limit'
          | 'expired'
          | 'unknown'
          | 'internal_error'
          | null;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DeliveryWithLog'] | null;
    };
    EventRecordDeliveryFailed: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'delivery.failed';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example delivery
         * @enum {string}
         */
        type: 'delivery';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example 3 */
        message_id: number;
        /**
         * @description The handler may have been deleted since.
         * @example 2
         */
        handler_id: number;
        /**
         * @description Outcome of the last attempt that has ended; null before the first.
         * @example delivered
         * @enum {string|null}
         */
        outcome:
          | 'delivered'
          | 'rejected'
          | 'server_error'
          | 'rate_limited'
          | 'timeout'
          | 'unreachable'
          | 'tls_error'
          | 'blocked_address'
          | 'not_configured'
          | 'operator_error'
          | 'daily_limit'
          | 'expired'
          | 'unknown'
          | 'internal_error'
          | null;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DeliveryWithLog'] | null;
    };
    EventRecordDeliveryReceipt: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'delivery.receipt';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example delivery
         * @enum {string}
         */
        type: 'delivery';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example delivered */
        status: string;
        /** @example null */
        code: number | null;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DeliveryWithLog'] | null;
    };
    EventRecordDeliveryRetried: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'delivery.retried';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example delivery
         * @enum {string}
         */
        type: 'delivery';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example 3 */
        message_id: number;
        /**
         * @description The handler may have been deleted since.
         * @example 2
         */
        handler_id: number;
        /**
         * @description Outcome of the last attempt that has ended; null before the first.
         * @example delivered
         * @enum {string|null}
         */
        outcome:
          | 'delivered'
          | 'rejected'
          | 'server_error'
          | 'rate_limited'
          | 'timeout'
          | 'unreachable'
          | 'tls_error'
          | 'blocked_address'
          | 'not_configured'
          | 'operator_error'
          | 'daily_limit'
          | 'expired'
          | 'unknown'
          | 'internal_error'
          | null;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DeliveryWithLog'] | null;
    };
    EventRecordDomainCertificate: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'domain.certificate';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example domain
         * @enum {string}
         */
        type: 'domain';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /**
         * @description Null once the problem is solved.
         * @example certificate_missing
         */
        problem: string | null;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DomainRecord'] | null;
    };
    EventRecordDomainCreated: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'domain.created';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example domain
         * @enum {string}
         */
        type: 'domain';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DomainRecord'] | null;
    };
    EventRecordDomainDeleted: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'domain.deleted';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example domain
         * @enum {string}
         */
        type: 'domain';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example www.example.com */
        host: string;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DomainRecord'] | null;
    };
    EventRecordDomainFailed: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'domain.failed';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example domain
         * @enum {string}
         */
        type: 'domain';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DomainRecord'] | null;
    };
    EventRecordDomainUnverified: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'domain.unverified';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example domain
         * @enum {string}
         */
        type: 'domain';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DomainRecord'] | null;
    };
    EventRecordDomainUpdated: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'domain.updated';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example domain
         * @enum {string}
         */
        type: 'domain';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /**
         * @description Names of fields.
         * @example [
         *       "is_enabled"
         *     ]
         */
        changed: string[];
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DomainRecord'] | null;
    };
    EventRecordDomainVerified: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'domain.verified';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example domain
         * @enum {string}
         */
        type: 'domain';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['DomainRecord'] | null;
    };
    EventRecordImportCompleted: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'import.completed';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      /** @example null */
      record: null;
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example agendamentos */
        collection: string;
        /** @example 12 */
        inserted: number;
        /** @example 12 */
        updated: number;
        /** @example 12 */
        bad: number;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: null;
    };
    EventRecordKeyCreated: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'key.created';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example key
         * @enum {string}
         */
        type: 'key';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example website */
        name: string;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['ApiKeyRecord'] | null;
    };
    EventRecordKeyRevoked: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'key.revoked';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example key
         * @enum {string}
         */
        type: 'key';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example website */
        name: string;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['ApiKeyRecord'] | null;
    };
    EventRecordMessageAcknowledged: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'message.acknowledged';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example message
         * @enum {string}
         */
        type: 'message';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['MessageRecord'] | null;
    };
    EventRecordMessageCancelled: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'message.cancelled';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example message
         * @enum {string}
         */
        type: 'message';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['MessageRecord'] | null;
    };
    EventRecordMessageCreated: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'message.created';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example message
         * @enum {string}
         */
        type: 'message';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['MessageRecord'] | null;
    };
    EventRecordNotificationHandlerCreated: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'notification_handler.created';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example notification_handler
         * @enum {string}
         */
        type: 'notification_handler';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: Record<string, never>;
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['NotificationHandlerRecord'] | null;
    };
    EventRecordNotificationHandlerDeleted: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'notification_handler.deleted';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example notification_handler
         * @enum {string}
         */
        type: 'notification_handler';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /** @example Night shift */
        name: string;
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['NotificationHandlerRecord'] | null;
    };
    EventRecordNotificationHandlerUpdated: {
      /**
       * @description Never reused.
       * @example evt_3f9c1a52e0_4711
       */
      id: string;
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      type: 'notification_handler.updated';
      /**
       * @description Creation time, in UTC.
       * @example 2026-11-21 14:05:09
       */
      datetime: string;
      record: {
        /**
         * @example notification_handler
         * @enum {string}
         */
        type: 'notification_handler';
        /** @example 7 */
        id: number;
      };
      /**
       * @description Who did it: a key, the operator on the command line, or the service by itself.
       * @example {
       *       "type": "key",
       *       "id": 3
       *     }
       */
      actor?: {
        /** @enum {string} */
        type: 'key' | 'operator' | 'service';
        /** @description Id of the key; otherwise null. */
        id: number | null;
      };
      data: {
        /**
         * @description Names of fields.
         * @example [
         *       "is_enabled"
         *     ]
         */
        changed: string[];
      };
      /** @description With `include=record`: the record as it can be read with this key now; null once it is deleted. */
      current?: components['schemas']['NotificationHandlerRecord'] | null;
    };
  };
  responses: {
    /** @description Missing parameter; Invalid parameter; Unknown parameter; Malformed request. */
    BadRequest: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Unauthenticated. */
    Unauthorized: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Insufficient scope. */
    Forbidden: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Not found. */
    NotFound: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Acknowledgement not requested; Delivery expired; Delivery not failed; Delivery obsolete; Handler unavailable; Host taken; Limit reached; Public URL missing; Replay in progress; Replay unconfirmed; Idempotency key in use. */
    Conflict: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Cursor expired. */
    Gone: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Precondition failed. */
    PreconditionFailed: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Payload too large. */
    PayloadTooLarge: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Unsupported media type. */
    UnsupportedMediaType: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Idempotency key reused. */
    UnprocessableEntity: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Rate limited. */
    TooManyRequests: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'Retry-After': components['headers']['Retry-After'];
        'RateLimit-Policy': components['headers']['RateLimit-Policy'];
        RateLimit: components['headers']['RateLimit'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Internal error. */
    InternalServerError: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
    /** @description Unavailable. */
    ServiceUnavailable: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id'];
        'Retry-After': components['headers']['Retry-After'];
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Errors'];
      };
    };
  };
  parameters: {
    /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
    RequestId: string;
  };
  requestBodies: never;
  headers: {
    /**
     * @description Request id: the client's, or a generated one.
     * @example b6f1a2b0-6c0e-4a53-9d0b-0f3f2f6c1c55
     */
    'X-Request-Id': string;
    /**
     * @description Bearer challenge (RFC 6750).
     * @example Bearer realm="frontdesk", error="invalid_token"
     */
    'WWW-Authenticate': string;
    /**
     * @description Seconds to wait.
     * @example 1
     */
    'Retry-After': number;
    /**
     * @description Requests per account (`q`) in a window of `w` seconds; draft-ietf-httpapi-ratelimit-headers.
     * @example "account";q=600;w=60
     */
    'RateLimit-Policy': string;
    /**
     * @description Requests left in the window (`r`), and seconds until it resets (`t`).
     * @example "account";r=0;t=30
     */
    RateLimit: string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  Domains_findPage: {
    parameters: {
      query?: {
        /** @description Page number, from 1. A page past the end is empty. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
        /** @description Only records that contain this text, ignoring case and accents. Must be 1 to 128 characters, none of them a control character. */
        host?: string;
        /** @description Only records with this value. Must be one of https://, http://. */
        scheme?: 'https://' | 'http://';
        /** @description Only records with this value. Must be one of pending, verified, failed. */
        verification_status?: 'pending' | 'verified' | 'failed';
        /** @description Only records that are enabled, or only those that are not. Must be one of 1, 0, true, false, in any case. */
        is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
        /** @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_from?: string;
        /** @description Only records created before this time. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_until?: string;
        /** @description Only records created or changed at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        changed_since?: string;
        /** @description Field to order by. Must be one of id, host, datetime, last_datetime. */
        orderby?: 'id' | 'host' | 'datetime' | 'last_datetime';
        /** @description Sort direction. Must be one of asc, desc. */
        sort?: 'asc' | 'desc';
        /** @description Adds this part to each record. Must be one of verification. */
        include?: 'verification';
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of records, by ascending id unless the query says otherwise. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ListedDomain'][];
            meta: components['schemas']['PageMeta'];
            links: components['schemas']['PageLinks'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Domains_create: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['CreateDomain'];
        'application/x-www-form-urlencoded': components['schemas']['CreateDomain'];
        'application/json': components['schemas']['CreateDomain'];
      };
    };
    responses: {
      /** @description Id of the new record. */
      201: {
        headers: {
          /** @description URL of the new record. */
          Location: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Domains_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        domain_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['DomainRecord'];
          };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Domains_update: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        domain_id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'multipart/form-data': components['schemas']['UpdateDomain'];
        'application/x-www-form-urlencoded': components['schemas']['UpdateDomain'];
        'application/json': components['schemas']['UpdateDomain'];
      };
    };
    responses: {
      /** @description Id of the record. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Domains_delete: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        domain_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Id of the deleted record. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Domains_findSettings: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        domain_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['DomainSettings'];
          };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Verification_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        domain_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['VerificationRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Verification_check: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        domain_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['VerificationRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_findPage: {
    parameters: {
      query?: {
        /** @description Page number, from 1. A page past the end is empty. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
        /** @description Only records that contain this text, ignoring case and accents. Must be 1 to 128 characters, none of them a control character. */
        name?: string;
        /** @description Only records with this value. Must be one of email, webhook, slack, discord, telegram, microsoft_teams, twilio, twilio_call, whatsapp. */
        type?: 'email' | 'webhook' | 'slack' | 'discord' | 'telegram' | 'microsoft_teams' | 'twilio' | 'twilio_call' | 'whatsapp';
        /** @description Only records that are enabled, or only those that are not. Must be one of 1, 0, true, false, in any case. */
        is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
        /** @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_from?: string;
        /** @description Only records created before this time. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_until?: string;
        /** @description Only records created or changed at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        changed_since?: string;
        /** @description Field to order by. Must be one of id, name, datetime, last_datetime. */
        orderby?: 'id' | 'name' | 'datetime' | 'last_datetime';
        /** @description Sort direction. Must be one of asc, desc. */
        sort?: 'asc' | 'desc';
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of records, by ascending id unless the query says otherwise. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NotificationHandlerRecord'][];
            meta: components['schemas']['PageMeta'];
            links: components['schemas']['PageLinks'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_create: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateNotificationHandler'];
        'multipart/form-data': components['schemas']['CreateNotificationHandler'];
        'application/x-www-form-urlencoded': components['schemas']['CreateNotificationHandler'];
      };
    };
    responses: {
      /** @description Id of the new record. */
      201: {
        headers: {
          /** @description URL of the new record. */
          Location: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_findPage_alias1: {
    parameters: {
      query?: {
        /** @description Page number, from 1. A page past the end is empty. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
        /** @description Only records that contain this text, ignoring case and accents. Must be 1 to 128 characters, none of them a control character. */
        name?: string;
        /** @description Only records with this value. Must be one of email, webhook, slack, discord, telegram, microsoft_teams, twilio, twilio_call, whatsapp. */
        type?: 'email' | 'webhook' | 'slack' | 'discord' | 'telegram' | 'microsoft_teams' | 'twilio' | 'twilio_call' | 'whatsapp';
        /** @description Only records that are enabled, or only those that are not. Must be one of 1, 0, true, false, in any case. */
        is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
        /** @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_from?: string;
        /** @description Only records created before this time. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_until?: string;
        /** @description Only records created or changed at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        changed_since?: string;
        /** @description Field to order by. Must be one of id, name, datetime, last_datetime. */
        orderby?: 'id' | 'name' | 'datetime' | 'last_datetime';
        /** @description Sort direction. Must be one of asc, desc. */
        sort?: 'asc' | 'desc';
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of records, by ascending id unless the query says otherwise. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NotificationHandlerRecord'][];
            meta: components['schemas']['PageMeta'];
            links: components['schemas']['PageLinks'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_create_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateNotificationHandler'];
        'multipart/form-data': components['schemas']['CreateNotificationHandler'];
        'application/x-www-form-urlencoded': components['schemas']['CreateNotificationHandler'];
      };
    };
    responses: {
      /** @description Id of the new record. */
      201: {
        headers: {
          /** @description URL of the new record. */
          Location: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NotificationHandlerRecord'];
          };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_update: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['UpdateNotificationHandler'];
        'multipart/form-data': components['schemas']['UpdateNotificationHandler'];
        'application/x-www-form-urlencoded': components['schemas']['UpdateNotificationHandler'];
      };
    };
    responses: {
      /** @description Id of the record. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_delete: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Id of the deleted record. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_find_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NotificationHandlerRecord'];
          };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_update_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['UpdateNotificationHandler'];
        'multipart/form-data': components['schemas']['UpdateNotificationHandler'];
        'application/x-www-form-urlencoded': components['schemas']['UpdateNotificationHandler'];
      };
    };
    responses: {
      /** @description Id of the record. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_delete_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Id of the deleted record. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_findSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['SigningSecretRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_replaceSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['SigningSecretRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_findSecret_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['SigningSecretRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  NotificationHandlers_replaceSecret_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['SigningSecretRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Notifications_findPage: {
    parameters: {
      query?: {
        /** @description Page number, from 1. A page past the end is empty. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
        /** @description Only records that contain this text, ignoring case and accents. Must be 1 to 128 characters, none of them a control character. */
        name?: string;
        /** @description Only records with this value. Must be a code of 1 to 64 characters, A-Z, 0-9 and underscores, that begins with a letter. */
        type?: string;
        /** @description Only records with this value. Must be an id, in digits, from 1 to 2147483647. */
        campaign_id?: number;
        /** @description Only records with this value. Must be 32 lower-case hexadecimal characters. */
        notification_key?: string;
        /** @description Only records that are enabled, or only those that are not. Must be one of 1, 0, true, false, in any case. */
        is_enabled?: boolean | (1 | 0) | ('1' | '0' | 'true' | 'false' | 'True' | 'False' | 'TRUE' | 'FALSE');
        /** @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_from?: string;
        /** @description Only records created before this time. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_until?: string;
        /** @description Only records created or changed at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        changed_since?: string;
        /** @description Field to order by. Must be one of id, name, datetime, last_datetime. */
        orderby?: 'id' | 'name' | 'datetime' | 'last_datetime';
        /** @description Sort direction. Must be one of asc, desc. */
        sort?: 'asc' | 'desc';
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of records, by ascending id unless the query says otherwise. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NotificationRecord'][];
            meta: components['schemas']['PageMeta'];
            links: components['schemas']['PageLinks'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Notifications_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NotificationRecord'];
          };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Scheduling_read: {
    parameters: {
      query: {
        /** @description Collection. Must be one of agendamentos, atendentes, atendenteservico, horarios, servicos. */
        api: 'agendamentos' | 'atendentes' | 'atendenteservico' | 'horarios' | 'servicos';
        /** @description For agendamentos: filter. Must be text. */
        nome?: string;
        /** @description For agendamentos: filter. Must be text. */
        telefone?: string;
        /** @description For agendamentos: filter. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, such as 2026-11, 2026-11-21 or 2026-11-21T14. */
        'data-hora'?: string;
        /** @description For agendamentos, atendenteservico, servicos: filter. Must be text. */
        'servico-nome'?: string;
        /** @description For agendamentos, atendentes: filter. Must be text. */
        'atendente-nome'?: string;
        /** @description For agendamentos: id of a single record. Must be an integer, in digits. */
        'agendamento-id'?: number;
        /** @description For atendentes: filter. Must be text. */
        'atendente-cargo'?: string;
        /** @description For atendentes: filter; the default is Sim. Must be one of true, false, Sim, Não, Nao, 1, 0, or empty for all. */
        'atendente-diponivel'?: 'true' | 'false' | 'Sim' | 'Não' | 'Nao' | '1' | '0' | '';
        /** @description For atendentes: id of a single record. Must be an integer, in digits. */
        'atendentes-id'?: number;
        /** @description For atendenteservico: filter; the default is nome. Must be text. */
        'atendentes-nome'?: string;
        /** @description For atendenteservico: id of a single record. Must be an integer, in digits. */
        'atendenteservico-id'?: number;
        /** @description For horarios: filter. Must be text. */
        'horario-id'?: string;
        /** @description For horarios: filter; the default is Sim. Must be one of true, false, Sim, Não, Nao, 1, 0, or empty for all. */
        'horario-disponivel'?: 'true' | 'false' | 'Sim' | 'Não' | 'Nao' | '1' | '0' | '';
        /** @description For horarios: id of a single record. Must be an integer, in digits. */
        'horarios-id'?: number;
        /** @description For servicos: id of a single record. Must be an integer, in digits. */
        'servicos-id'?: number;
        /** @description Field to order by, one of the collection's own; the default is its id. Must be one of agendamento-id, nome, telefone, data-hora, servico-nome, atendente-nome, atendentes-id, atendente-cargo, atendente-diponivel, atendenteservico-id, atendentes-nome, horarios-id, horario-id, horario-disponivel, servicos-id. */
        orderby?:
          | 'agendamento-id'
          | 'nome'
          | 'telefone'
          | 'data-hora'
          | 'servico-nome'
          | 'atendente-nome'
          | 'atendentes-id'
          | 'atendente-cargo'
          | 'atendente-diponivel'
          | 'atendenteservico-id'
          | 'atendentes-nome'
          | 'horarios-id'
          | 'horario-id'
          | 'horario-disponivel'
          | 'servicos-id';
        /** @description Sort direction; the default is asc. Must be one of asc, desc. */
        sort?: 'asc' | 'desc';
        /** @description Page number, counted from 1. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
      };
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Every record of the list, one page of it, or the record with the given id. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json':
            | {
                data: components['schemas']['AgendamentosRecord'][];
              }
            | {
                data: components['schemas']['AgendamentosRecord'][];
                meta: components['schemas']['PageMeta'];
                links: components['schemas']['PageLinks'];
              }
            | {
                data: components['schemas']['AgendamentosRecord'];
              }
            | {
                data: components['schemas']['AtendentesRecord'][];
              }
            | {
                data: components['schemas']['AtendentesRecord'][];
                meta: components['schemas']['PageMeta'];
                links: components['schemas']['PageLinks'];
              }
            | {
                data: components['schemas']['AtendentesRecord'];
              }
            | {
                data: components['schemas']['AtendenteservicoRecord'][];
              }
            | {
                data: components['schemas']['AtendenteservicoRecord'][];
                meta: components['schemas']['PageMeta'];
                links: components['schemas']['PageLinks'];
              }
            | {
                data: components['schemas']['AtendenteservicoRecord'];
              }
            | {
                data: components['schemas']['HorariosRecord'][];
              }
            | {
                data: components['schemas']['HorariosRecord'][];
                meta: components['schemas']['PageMeta'];
                links: components['schemas']['PageLinks'];
              }
            | {
                data: components['schemas']['HorariosRecord'];
              }
            | {
                data: components['schemas']['ServicosRecord'][];
              }
            | {
                data: components['schemas']['ServicosRecord'][];
                meta: components['schemas']['PageMeta'];
                links: components['schemas']['PageLinks'];
              }
            | {
                data: components['schemas']['ServicosRecord'];
              };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Health_live: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The process is running. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /**
             * @example ok
             * @enum {string}
             */
            status: 'ok';
          };
        };
      };
      400: components['responses']['BadRequest'];
      413: components['responses']['PayloadTooLarge'];
      500: components['responses']['InternalServerError'];
    };
  };
  Health_ready: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The service is ready. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /**
             * @example ok
             * @enum {string}
             */
            status: 'ok';
          };
        };
      };
      400: components['responses']['BadRequest'];
      413: components['responses']['PayloadTooLarge'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  ApiKeys_findPage: {
    parameters: {
      query?: {
        /** @description Page number, from 1. A page past the end is empty. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of records, by ascending id unless the query says otherwise. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ApiKeyRecord'][];
            meta: components['schemas']['PageMeta'];
            links: components['schemas']['PageLinks'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  ApiKeys_create: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['CreateApiKey'];
        'application/x-www-form-urlencoded': components['schemas']['CreateApiKey'];
        'application/json': components['schemas']['CreateApiKey'];
      };
    };
    responses: {
      /** @description The result. */
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NewApiKey'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  ApiKeys_findCurrent: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['CurrentApiKey'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  ApiKeys_revoke: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        key_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Id of the revoked key. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Messages_findPage: {
    parameters: {
      query?: {
        /** @description Page number, from 1. A page past the end is empty. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
        /** @description Only messages with this in their title or text, ignoring case and accents. Must be 1 to 128 characters, none of them a control character. */
        text?: string;
        /** @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_from?: string;
        /** @description Only records created before this time. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_until?: string;
        /** @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        changed_since?: string;
        /** @description Field to order by. Must be one of id, datetime. */
        orderby?: 'id' | 'datetime';
        /** @description Sort direction. Must be one of asc, desc. */
        sort?: 'asc' | 'desc';
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of records, by ascending id unless the query says otherwise. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['MessageRecord'][];
            meta: components['schemas']['PageMeta'];
            links: components['schemas']['PageLinks'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Messages_create: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['CreateMessage'];
        'application/x-www-form-urlencoded': components['schemas']['CreateMessage'];
        'application/json': components['schemas']['CreateMessage'];
      };
    };
    responses: {
      /** @description Id of an earlier message with this `dedup_key`, which counts this one as a repeat. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      /** @description Id of the new record. */
      201: {
        headers: {
          /** @description URL of the new record. */
          Location: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Messages_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        message_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['MessageRecord'];
          };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Messages_cancel: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        message_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['CancellationCounts'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Messages_acknowledge: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        message_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Acknowledgement'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Deliveries_findPage: {
    parameters: {
      query?: {
        /** @description Page number, from 1. A page past the end is empty. Must be an integer of 1 or more, in digits. */
        page?: number;
        /** @description Records per page. Must be one of 10, 25, 50, 100, 250, 500, 1000. */
        results_per_page?: 10 | 25 | 50 | 100 | 250 | 500 | 1000;
        /** @description Only records with this value. Must be an id, in digits. */
        message_id?: number;
        /** @description Only records with this value. Must be an id, in digits. */
        handler_id?: number;
        /** @description Only records with this value. Must be the number of a step, in digits. */
        step?: number;
        /** @description Only records with this value. Must be one of pending, delivered, failed, cancelled. */
        status?: 'pending' | 'delivered' | 'failed' | 'cancelled';
        /** @description Only records with this value. Must be one of delivered, rejected, server_error, rate_limited, timeout, unreachable, tls_error, blocked_address, not_configured, operator_error, daily_limit, expired, unknown, internal_error. */
        outcome?:
          | 'delivered'
          | 'rejected'
          | 'server_error'
          | 'rate_limited'
          | 'timeout'
          | 'unreachable'
          | 'tls_error'
          | 'blocked_address'
          | 'not_configured'
          | 'operator_error'
          | 'daily_limit'
          | 'expired'
          | 'unknown'
          | 'internal_error';
        /** @description Only records created at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_from?: string;
        /** @description Only records created before this time. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        created_until?: string;
        /** @description Only records created or changed at this time or later. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        changed_since?: string;
        /** @description Field to order by. Must be one of id, datetime. */
        orderby?: 'id' | 'datetime';
        /** @description Sort direction. Must be one of asc, desc. */
        sort?: 'asc' | 'desc';
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page of records, by ascending id unless the query says otherwise. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['DeliveryRecord'][];
            meta: components['schemas']['PageMeta'];
            links: components['schemas']['PageLinks'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Deliveries_count: {
    parameters: {
      query?: {
        /** @description Start, rounded down to a whole hour or day. By default, 24 hours or 30 days before `until`. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        from?: string;
        /** @description End, rounded up to a whole hour or day; at most 800 hours or days after `from`. By default, the end of the current one. Must be the beginning of a time YYYY-MM-DD HH:MM:SS, of 10 characters or more, such as 2026-11-21 or 2026-11-21T14; or a complete RFC 3339 time with an offset, such as 2026-11-21T14:30:00+01:00. */
        until?: string;
        /** @description Length of a bucket. Must be one of hour, day. */
        interval?: 'hour' | 'day';
        /** @description What to group by. Must be one of status, outcome, handler. */
        group?: 'status' | 'outcome' | 'handler';
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['DeliveryStatistics'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Deliveries_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that the client has: 304 when the record is unchanged. */
        'If-None-Match'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        delivery_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['DeliveryWithLog'];
          };
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          /**
           * @description Identifies this version of the record.
           * @example "3q2-7wRm5nK1yTzXbVc0aA"
           */
          ETag: string;
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Deliveries_retry: {
    parameters: {
      query?: never;
      header?: {
        /** @description Entity tag of the version that was read: 412 when the record has changed since. */
        'If-Match'?: string;
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        delivery_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Id of the record. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @example 7 */
              id: number;
            };
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      412: components['responses']['PreconditionFailed'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Deliveries_retryMatching: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'multipart/form-data': components['schemas']['RetryDeliveries'];
        'application/x-www-form-urlencoded': components['schemas']['RetryDeliveries'];
        'application/json': components['schemas']['RetryDeliveries'];
      };
    };
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['RetryCounts'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  HandlerTests_test: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AttemptRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  HandlerTests_test_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AttemptRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Events_read: {
    parameters: {
      query?: {
        /** @description Where to begin: at the oldest event, after the latest one, or after a cursor. Must be oldest, latest, or a cursor: `meta.next` of an earlier response. */
        after?: string;
        /** @description Only these types; by default, all that the key may see. Must be comma-separated event types without duplicates; <noun>.* for all of a noun. */
        types?: string;
        /** @description Adds `current` to each event. Must be one of record. */
        include?: 'record';
        /** @description Maximum number of events. Must be an integer from 1 to 1000, in digits. */
        limit?: number;
        /** @description Seconds to wait for an event if there is none. Must be an integer from 0 to 30, in digits. */
        wait?: number;
      };
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of events. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /**
             * @example [
             *       {
             *         "id": "evt_3f9c1a52e0_4711",
             *         "type": "domain.updated",
             *         "datetime": "2026-11-21 14:05:09",
             *         "record": {
             *           "type": "domain",
             *           "id": 7
             *         },
             *         "actor": {
             *           "type": "key",
             *           "id": 3
             *         },
             *         "data": {
             *           "changed": [
             *             "custom_index_url"
             *           ]
             *         }
             *       }
             *     ]
             */
            data: components['schemas']['EventRecord'][];
            meta: components['schemas']['EventPageMeta'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      410: components['responses']['Gone'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  HandlerEvents_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['HandlerEventsRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  HandlerEvents_set: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'multipart/form-data': components['schemas']['SetHandlerEvents'];
        'application/x-www-form-urlencoded': components['schemas']['SetHandlerEvents'];
        'application/json': components['schemas']['SetHandlerEvents'];
      };
    };
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['HandlerEventsRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  HandlerEvents_find_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['HandlerEventsRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  HandlerEvents_set_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Idempotency key: a repeat within 24 hours returns the first result without writing again. */
        'Idempotency-Key'?: string;
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'multipart/form-data': components['schemas']['SetHandlerEvents'];
        'application/x-www-form-urlencoded': components['schemas']['SetHandlerEvents'];
        'application/json': components['schemas']['SetHandlerEvents'];
      };
    };
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['HandlerEventsRecord'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      422: components['responses']['UnprocessableEntity'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Replays_find: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The replay in progress; null if there is none. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ReplayRecord'] | null;
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Replays_start: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['StartReplay'];
        'application/x-www-form-urlencoded': components['schemas']['StartReplay'];
        'application/json': components['schemas']['StartReplay'];
      };
    };
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ReplayRange'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      410: components['responses']['Gone'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Replays_end: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The replay in progress; null if there is none. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ReplayRecord'] | null;
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Replays_find_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The replay in progress; null if there is none. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ReplayRecord'] | null;
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Replays_start_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': components['schemas']['StartReplay'];
        'application/x-www-form-urlencoded': components['schemas']['StartReplay'];
        'application/json': components['schemas']['StartReplay'];
      };
    };
    responses: {
      /** @description The result. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ReplayRange'];
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      410: components['responses']['Gone'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  Replays_end_alias1: {
    parameters: {
      query?: never;
      header?: {
        /** @description Request id, returned in the response and logged. Replaced by a generated one when it does not match the pattern. */
        'X-Request-Id'?: components['parameters']['RequestId'];
      };
      path: {
        /** @description Id of the record, in digits. */
        notification_handler_id: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The replay in progress; null if there is none. */
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id'];
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ReplayRecord'] | null;
          };
        };
      };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalServerError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
}

/** The codes of the service without extensions. */
export type ServiceErrorCode =
  | 'missing_parameter'
  | 'invalid_parameter'
  | 'unknown_parameter'
  | 'malformed_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'invalid_signature'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'acknowledgement_not_requested'
  | 'delivery_expired'
  | 'delivery_not_failed'
  | 'delivery_obsolete'
  | 'handler_unavailable'
  | 'host_taken'
  | 'limit_reached'
  | 'public_url_missing'
  | 'replay_in_progress'
  | 'replay_unconfirmed'
  | 'idempotency_key_in_use'
  | 'cursor_expired'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'idempotency_key_reused'
  | 'rate_limited'
  | 'internal_error'
  | 'unavailable';

/** Paths whose POST takes an Idempotency-Key. */
export const IDEMPOTENT_PATHS: ReadonlySet<string> = new Set([
  '/api/domains',
  '/api/domains/{domain_id}',
  '/api/notification-handler',
  '/api/notification-handlers',
  '/api/notification-handler/{notification_handler_id}',
  '/api/notification-handlers/{notification_handler_id}',
  '/api/messages',
  '/api/deliveries/{delivery_id}/retry',
  '/api/notification-handler/{notification_handler_id}/events',
  '/api/notification-handlers/{notification_handler_id}/events',
]);
