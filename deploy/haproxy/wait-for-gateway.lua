-- After a reload no gateway's address is known for some milliseconds: a request waits for one, a second at most, rather
-- than get 503.
core.register_action('wait_for_gateway', { 'http-req' }, function(txn)
  for _ = 1, 100 do
    if txn.f:nbsrv('gateways') > 0 or txn.f:nbsrv('live-gateways') > 0 then
      return
    end
    core.msleep(10)
  end
end)
