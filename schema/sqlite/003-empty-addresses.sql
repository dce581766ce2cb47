-- An empty address is no address: earlier versions kept it.
UPDATE placement SET address = NULL WHERE length(address) = 0;
UPDATE device_state SET last_fix_address = NULL WHERE length(last_fix_address) = 0;
