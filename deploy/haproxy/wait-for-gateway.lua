-- For some milliseconds after a reload, HAProxy has no address of a gateway: requests wait for one, at most a second,
-- instead of a 503.
core.register_action('wait_for_gateway', { 'http-req' }, function(txn)
  for _ = 1, 100 do
    if txn.f:nbsrv('gateways') > 0 or txn.f:nbsrv('live-gateways') > 0 then
      return
    end
    core.msleep(10)
  end
end)
