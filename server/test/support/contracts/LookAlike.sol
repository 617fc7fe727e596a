// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Has the name, symbol and events of a well-known token, and lets anyone have as much of it as they like.
contract LookAlike {
    string public constant name = "Tether USD";
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;

    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
